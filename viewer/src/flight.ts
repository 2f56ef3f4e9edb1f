// What somebody who flies a run looks at: the keys with their commands, gauges, the score so far.

import type { LiveScore } from './connection';
import type { InstrumentData, LiveData, OperatorData, ScoreTermData } from './contract';
import { h, number, prettyUnit, withUnit } from './dom';

/** The newest value of a channel. */
type Latest = (channel: string) => number;

class Gauge {
  readonly element: HTMLElement;
  private readonly value = h('output', {});
  private readonly bar = h('span', { class: 'fill' });

  constructor(
    private readonly data: InstrumentData,
    private readonly unit: string,
  ) {
    this.element = h('div', { class: 'gauge', 'data-instrument': data.channel, title: data.channel }, h('span', {}, data.label), h('span', { class: 'scale' }, this.bar), this.value);
  }

  show(value: number): void {
    const share = Math.abs(value) / this.data.limit;
    this.value.textContent = `${number(Number(value.toPrecision(3)))} ${prettyUnit(this.unit)}`;
    this.bar.style.width = `${(100 * Math.min(1, share || 0)).toFixed(1)}%`;
    this.element.classList.toggle('over', share > 1);
  }
}

class ScoreBoard {
  readonly element: HTMLElement;
  private readonly total = h('output', { id: 'score' }, '–');
  private readonly rows: { row: HTMLElement; value: HTMLElement; points: HTMLElement }[] = [];

  constructor(private readonly terms: ScoreTermData[]) {
    this.element = h('div', { class: 'score' }, h('h3', {}, 'Score ', this.total));
    for (const term of terms) {
      const value = h('td', {}, '–');
      const points = h('td', { 'data-term': term.name }, '–');
      const rule = `all points at ${withUnit(term.full, term.unit)}, none at ${withUnit(term.none, term.unit)}${term.limit === null ? '' : `, the run is lost beyond ${withUnit(term.limit, term.unit)}`}`;
      const row = h('tr', { title: rule }, h('td', {}, term.name), value, points);
      this.rows.push({ row, value, points });
    }
    this.element.append(h('table', {}, h('tbody', {}, ...this.rows.map((one) => one.row))));
  }

  show(score: LiveScore): void {
    const broken = score.terms.some((term) => term.broken);
    this.total.textContent = `${score.points.toFixed(2)} of ${number(score.of)}${broken ? ' (a limit is broken)' : ''}`;
    score.terms.forEach((term, k) => {
      const { row, value, points } = this.rows[k];
      value.textContent = term.value === null ? 'not met' : withUnit(Number(term.value.toPrecision(4)), this.terms[k].unit);
      points.textContent = `${term.points.toFixed(2)} of ${number(this.terms[k].weight)}`;
      row.classList.toggle('over', term.broken);
    });
  }
}

export class FlightPanel {
  readonly element = h('div', { class: 'flight' });
  private readonly gauges: Gauge[] = [];
  private readonly sticks = new Map<string, HTMLElement>();
  private readonly choices: { operator: OperatorData; buttons: HTMLElement[] }[] = [];
  private readonly board: ScoreBoard | null = null;

  constructor(
    private readonly live: LiveData,
    choose: (operator: OperatorData, choice: number) => void,
  ) {
    const keys = h('div', { class: 'sticks' });
    for (const operator of live.operators) keys.append(operator.choices.length > 0 ? this.selector(operator, choose) : this.stick(operator));
    if (live.operators.length > 0) this.element.append(keys);
    const units = new Map(live.channels.map((channel) => [channel.name, channel.unit]));
    for (const data of live.instruments) this.gauges.push(new Gauge(data, units.get(data.channel) ?? ''));
    if (this.gauges.length > 0) this.element.append(h('div', { class: 'gauges' }, ...this.gauges.map((gauge) => gauge.element)));
    if (live.score.length > 0) {
      this.board = new ScoreBoard(live.score);
      this.element.append(this.board.element);
    }
  }

  private stick(operator: OperatorData): HTMLElement {
    const value = h('output', { 'data-operator': operator.name }, '0');
    this.sticks.set(operator.name, value);
    const [back, forth] = operator.keys.map((key) => h('kbd', {}, keyName(key)));
    return h('div', { class: 'tunable' }, h('span', {}, operator.name), h('span', { class: 'muted' }, back, ' − + ', forth), value);
  }

  private selector(operator: OperatorData, choose: (operator: OperatorData, choice: number) => void): HTMLElement {
    const buttons = operator.choices.map((name, k) =>
      h('button', { type: 'button', class: 'small', 'data-choice': `${operator.name}/${name}`, click: () => choose(operator, k) }, name, ' ', h('kbd', {}, keyName(operator.keys[k]))),
    );
    this.choices.push({ operator, buttons });
    return h('div', { class: 'tunable choices' }, h('span', {}, operator.name), h('span', {}, ...buttons));
  }

  showStick(name: string, value: number): void {
    const shown = this.sticks.get(name);
    if (shown) shown.textContent = number(Number(value.toPrecision(3)));
  }

  /** `pending`: of a choice that the run has not taken up yet. */
  update(latest: Latest, pending: (operator: OperatorData) => number | undefined, score: LiveScore | undefined): void {
    this.gauges.forEach((gauge, k) => gauge.show(latest(this.live.instruments[k].channel)));
    for (const { operator, buttons } of this.choices) {
      const chosen = pending(operator) ?? Math.round(latest(operator.channel));
      buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(k === chosen)));
    }
    if (score) this.board?.show(score);
  }
}

function keyName(key: string): string {
  const names: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'space', Enter: '⏎' };
  return names[key] ?? key;
}
