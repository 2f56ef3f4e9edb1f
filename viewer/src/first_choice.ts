// What the page plots before anybody asks: what the scenario measures, then forces of contacts, then
// coordinates of joints and tips, then where bodies are. Nothing that stays constant while others move.

import type { Run } from './run';

const kMostCurves = 8;
/** With so many, what is less of interest is left out. */
const kEnoughCurves = 5;
const kMostUnits = 4;
/** Below this share of the largest change in its unit, a change is rounding. */
const kNegligible = 1e-6;

/** Largest less smallest value; null where nothing is recorded yet. */
function changeOf(run: Run, name: string): number | null {
  const series = run.series(name);
  if (!series || series.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < series.length; i++) {
    const value = series.v[i];
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high >= low ? high - low : 0;
}

/** In the order in which they are of interest. */
function candidates(run: Run): string[][] {
  const names = run.channels.map((channel) => channel.name);
  const like = (pattern: RegExp) => names.filter((name) => pattern.test(name));
  const measured = [...new Set(run.summary?.measures.map((measure) => measure.channel) ?? [])];
  const joints = like(/^joint\/[^/]+\/position(_\d+|_[xyz])?$/).slice(0, 4);
  return [
    measured.filter((name) => names.includes(name)),
    like(/^(contact\/[^/]+\/normal_force|group\/[^/]+\/largest_force)$/).slice(0, 4),
    joints,
    like(/^frame\/.*tip.*\/deflection_[yz]$/).slice(0, 4),
    joints.map((name) => name.replace('/position', '/rate')).filter((name) => names.includes(name)),
    // Of a body that floats the coordinates of its joint are the same.
    like(/^body\/[^/]+\/position_[xyz]$/).filter((name) => !names.includes(name.replace('body/', 'joint/'))).slice(0, 6),
  ];
}

/** At most so many curves and units, as many groups as that takes. */
export function firstChoice(run: Run): string[] {
  const units = new Map(run.channels.map((channel) => [channel.name, channel.unit]));
  const groups = candidates(run);
  const changes = new Map(groups.flat().map((name) => [name, changeOf(run, name)]));
  const largest = new Map<string, number>();
  for (const [name, change] of changes) {
    const unit = units.get(name)!;
    largest.set(unit, Math.max(largest.get(unit) ?? 0, change ?? 0));
  }
  const moves = (name: string) => {
    const change = changes.get(name);
    return change === null || change! > kNegligible * largest.get(units.get(name)!)!;
  };
  const chosen: string[] = [];
  const shown = new Set<string>();
  const take = (name: string) => {
    const unit = units.get(name)!;
    if (chosen.includes(name) || chosen.length >= kMostCurves || (!shown.has(unit) && shown.size >= kMostUnits)) return;
    chosen.push(name);
    shown.add(unit);
  };
  const all = groups.flat();
  for (const group of groups) {
    if (chosen.length < kEnoughCurves) for (const name of group.filter(moves)) take(name);
  }
  if (chosen.length === 0) for (const name of all.slice(0, 4)) take(name); // nothing moves at all
  return chosen;
}
