// Tables beside the plots: summary, measures, solver, events, the scenario's source.

import { h, number, table, withUnit } from './dom';
import type { Run } from './run';

type Seek = (t: number) => void;

function timeButton(t: number | null | undefined, seek: Seek): HTMLElement | string {
  if (t === null || t === undefined) return '–';
  return h('button', { class: 'link', type: 'button', click: () => seek(t) }, `${number(t)} s`);
}

function facts(run: Run): HTMLElement {
  const [start, end] = run.span();
  const rows: [string, string][] = [
    ['status', run.cause ? `${run.status}: ${run.cause}` : run.status],
    ['simulated', `${number(end - start)} s`],
    ['rows', `${run.rows}${run.thinned ? ', thinned out here with extremes kept' : ''}`],
    ['channels', String(run.channels.length)],
    ['bodies', String(run.scene?.bodies.length ?? '–')],
    ['seed', String(run.seed)],
    ['version', `grapple ${run.version}`],
  ];
  const timing = run.summary?.timing;
  if (timing) {
    rows.push(['wall time', `${number(timing.wall_seconds)} s`]);
    rows.push(['speed', `${number(timing.real_time_factor)} × real time`]);
  }
  return table([], rows);
}

function warnings(run: Run): HTMLElement | null {
  const texts = run.summary?.warnings ?? [];
  if (texts.length === 0) return null;
  return h('ul', { class: 'warnings' }, ...texts.map((text) => h('li', {}, text)));
}

/** One run: value and time. Several: a column per run, and the difference to the first. */
export function measuresTable(runs: Run[], seek: Seek): HTMLElement {
  const names = [...new Set(runs.flatMap((run) => (run.summary?.measures ?? []).map((m) => m.name)))];
  if (names.length === 0) return h('p', { class: 'empty' }, 'The scenario asks for no measures.');
  const find = (run: Run, name: string) => run.summary?.measures.find((m) => m.name === name);
  if (runs.length === 1) {
    const rows = names.map((name) => {
      const m = find(runs[0], name)!;
      return [name, h('code', {}, m.channel), withUnit(m.value, m.unit), timeButton(m.time, seek)];
    });
    return table(['measure', 'channel', 'value', 'at'], rows);
  }
  const head = ['measure', ...runs.map((run) => run.label), ...runs.slice(1).map((run) => `${run.label} − ${runs[0].label}`)];
  const rows = names.map((name) => {
    const found = runs.map((run) => find(run, name));
    const first = found[0]?.value ?? null;
    const differences = found.slice(1).map((m) => {
      const value = m?.value ?? null;
      return value === null || first === null ? '–' : withUnit(value - first, m!.unit);
    });
    return [name, ...found.map((m) => (m ? withUnit(m.value, m.unit) : '–')), ...differences];
  });
  return table(head, rows);
}

/** Points of each term and the total, a column per run; null if no run has a score. */
function scoreTable(runs: Run[]): HTMLElement | null {
  const scored = runs.filter((run) => run.summary?.score);
  if (scored.length === 0) return null;
  const names = [...new Set(scored.flatMap((run) => run.summary!.score!.terms.map((term) => term.name)))];
  const cell = (run: Run, name: string) => {
    const term = run.summary!.score!.terms.find((one) => one.name === name);
    if (!term) return '–';
    const value = term.value === null ? 'not met' : withUnit(term.value, term.unit);
    return `${number(term.points)} of ${number(term.weight)} (${value}${term.beyond_limit ? ', beyond its limit' : ''})`;
  };
  const total = (run: Run) => {
    const score = run.summary!.score!;
    return h('strong', {}, `${number(score.points)} of ${number(score.of)}${score.limit_broken ? ', a limit is broken' : ''}`);
  };
  const head = scored.length > 1 ? ['term', ...scored.map((run) => run.label)] : ['term', 'points'];
  return table(head, [...names.map((name) => [name, ...scored.map((run) => cell(run, name))]), ['total', ...scored.map(total)]]);
}

export function summaryPanel(runs: Run[], seek: Seek): HTMLElement {
  const score = scoreTable(runs);
  const panel = h('div', { class: 'summary' }, score ? h('h3', {}, 'Score') : '', score ?? '', h('h3', {}, 'Measures'), measuresTable(runs, seek));
  for (const run of runs) {
    if (runs.length > 1) panel.append(h('h2', {}, run.label));
    const counts = Object.entries(run.summary?.counts ?? {}).filter(([, value]) => value !== 0);
    panel.append(
      h('h3', {}, 'Run'),
      warnings(run) ?? '',
      facts(run),
      h('h3', {}, 'Solver'),
      counts.length > 0
        ? table([], counts.map(([name, value]) => [name.replace(/_s$/, ' [s]').replace(/_/g, ' '), number(value)]))
        : h('p', { class: 'empty' }, 'The run left no statistics.'),
    );
  }
  return panel;
}

const kDirections: Record<string, string> = { '1': 'rising', '-1': 'falling', '0': '' };

export function eventsPanel(runs: Run[], seek: Seek): HTMLElement {
  const rows = runs.flatMap((run) =>
    run.events.map((event) => {
      const cells = [timeButton(event.time, seek), event.name, kDirections[String(Math.sign(event.direction))]];
      return runs.length > 1 ? [run.label, ...cells] : cells;
    }),
  );
  if (rows.length === 0) return h('p', { class: 'empty' }, 'Nothing happened that the scenario calls an event.');
  const head = ['time', 'event', 'direction'];
  return h('div', { class: 'events' }, table(runs.length > 1 ? ['run', ...head] : head, rows));
}

export function scenarioPanel(runs: Run[]): HTMLElement {
  const panel = h('div', { class: 'scenario' });
  for (const run of runs) {
    const text = run.scenario;
    const copy = h('button', { type: 'button', class: 'small' }, 'Copy');
    copy.addEventListener('click', () => {
      navigator.clipboard?.writeText(text).then(
        () => (copy.textContent = 'Copied'),
        () => (copy.textContent = 'Select the text to copy it'),
      );
    });
    panel.append(
      h('div', { class: 'row' }, h('h3', {}, runs.length > 1 ? `Scenario of ${run.label}` : 'Scenario'), copy),
      h('pre', { tabindex: 0 }, text),
    );
  }
  return panel;
}
