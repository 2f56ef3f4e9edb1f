// Where two runs differ: the difference of a channel, and the channels that differ most.

import { h, number, table, withUnit } from './dom';
import type { Run, Series } from './run';

const kMostListed = 60;

/** other - first, at the times of `other` that both runs have. */
export function difference(first: Series, other: Series): Series {
  const t: number[] = [];
  const v: number[] = [];
  let row = 0;
  for (let i = 0; i < other.length; i++) {
    const time = other.t[i];
    if (time < first.t[0] || time > first.t[first.length - 1]) continue;
    while (row + 2 < first.length && first.t[row + 1] < time) row++;
    const [t0, t1] = [first.t[row], first.t[Math.min(row + 1, first.length - 1)]];
    const share = t1 > t0 ? (time - t0) / (t1 - t0) : 0;
    const [v0, v1] = [first.v[row], first.v[Math.min(row + 1, first.length - 1)]];
    t.push(time);
    v.push(other.v[i] - (v0 + share * (v1 - v0)));
  }
  return { t, v, length: t.length };
}

interface Finding {
  name: string;
  unit: string;
  run: Run;
  largest: number;
  time: number;
  /** Largest difference over the range of the first run's values. */
  relative: number;
}

function rangeOf(series: Series): number {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < series.length; i++) {
    low = Math.min(low, series.v[i]);
    high = Math.max(high, series.v[i]);
  }
  return Math.max(high - low, 1e-12 * Math.max(Math.abs(low), Math.abs(high)));
}

function findings(runs: Run[]): Finding[] {
  const found: Finding[] = [];
  for (const { name, unit } of runs[0].channels) {
    const first = runs[0].series(name);
    if (!first || first.length === 0) continue;
    for (const run of runs.slice(1)) {
      const other = run.series(name);
      if (!other) continue;
      const delta = difference(first, other);
      let at = -1;
      for (let i = 0; i < delta.length; i++) {
        if (at < 0 || Math.abs(delta.v[i]) > Math.abs(delta.v[at])) at = i;
      }
      if (at < 0 || delta.v[at] === 0) continue;
      const range = Math.max(rangeOf(first), rangeOf(other));
      found.push({ name, unit, run, largest: delta.v[at], time: delta.t[at], relative: Math.abs(delta.v[at]) / (range || 1) });
    }
  }
  return found.sort((a, b) => b.relative - a.relative);
}

export function differencesPanel(runs: Run[], seek: (t: number) => void): HTMLElement {
  const panel = h('div', { class: 'differences' });
  const all = findings(runs);
  if (all.length === 0) {
    panel.append(h('p', { class: 'empty' }, 'The runs do not differ in any channel they share.'));
    return panel;
  }
  const rows = all.slice(0, kMostListed).map((one) => [
    one.name,
    one.run.label,
    withUnit(one.largest, one.unit),
    `${number(100 * Number(one.relative.toPrecision(3)))} %`,
    h('button', { class: 'link', type: 'button', click: () => seek(one.time) }, `${number(one.time)} s`),
  ]);
  panel.append(
    h('p', { class: 'muted' }, `Largest differences to ${runs[0].label}, in order of their share of the channel's range.`),
    table(['channel', 'run', 'difference', 'of range', 'at'], rows),
  );
  if (all.length > kMostListed) panel.append(h('p', { class: 'muted' }, `and ${all.length - kMostListed} more channels`));
  return panel;
}
