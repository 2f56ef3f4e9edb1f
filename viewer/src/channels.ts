// The channel browser and the plots of what is picked, one plot per unit.

import { Plot, type Curve } from './plot';
import { difference } from './differences';
import { h, prettyUnit } from './dom';
import { firstChoice } from './first_choice';
import type { Run } from './run';

const kMostListed = 250;
export const kCurveColours = ['#3b76b5', '#d1783a', '#3a9a6b', '#b04a5a', '#8060b0', '#2f96a8', '#a08320', '#70757d'];
const kRunDashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

/** All words of the query must occur in the name. */
export function matches(name: string, query: string): boolean {
  const text = name.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export class ChannelPlots {
  readonly element = h('div', { class: 'channels' });
  private readonly picked: string[];
  private readonly units = new Map<string, string>();
  private readonly names: string[];
  private readonly list = h('div', { class: 'channel-list', role: 'listbox', 'aria-label': 'channels' });
  private readonly count = h('span', { class: 'muted' });
  private readonly plots = h('div', { class: 'plots' });
  private readonly search = h('input', {
    type: 'search',
    placeholder: 'Search channels, e.g. “shoulder rate”',
    'aria-label': 'search channels',
    id: 'channel-search',
  });
  private current: Plot[] = [];
  private asDifference = false;
  private zoomed: [number, number] | null = null;
  private time = 0;

  constructor(
    private readonly runs: Run[],
    private readonly seek: (t: number) => void,
  ) {
    for (const run of runs) {
      for (const channel of run.channels) this.units.set(channel.name, channel.unit);
    }
    this.names = [...this.units.keys()];
    this.picked = firstChoice(runs[0]);
    this.search.addEventListener('input', () => this.fillList());
    const browser = h(
      'details',
      { class: 'browser' },
      h('summary', {}, 'Channels ', this.count),
      this.search,
      this.list,
    );
    this.element.append(browser, ...(runs.length > 1 ? [this.differenceBox()] : []), this.plots);
    this.fillList();
    this.draw();
  }

  private fillList(): void {
    const query = this.search.value.trim();
    const found = this.names.filter((name) => matches(name, query));
    this.list.replaceChildren(
      ...found.slice(0, kMostListed).map((name) => this.entry(name)),
      ...(found.length > kMostListed ? [h('p', { class: 'muted' }, `and ${found.length - kMostListed} more`)] : []),
    );
    this.showCount();
  }

  private showCount(): void {
    this.count.textContent = `${this.picked.length} of ${this.names.length} shown`;
  }

  private entry(name: string): HTMLElement {
    const box = h('input', { type: 'checkbox', 'data-pick': name });
    box.checked = this.picked.includes(name);
    box.addEventListener('change', () => this.pick(name, box.checked));
    const unit = this.units.get(name) ?? '';
    return h('label', { class: 'channel' }, box, h('span', {}, name), h('span', { class: 'muted' }, unit === '1' ? '' : prettyUnit(unit)));
  }

  private pick(name: string, on: boolean): void {
    const at = this.picked.indexOf(name);
    if (on && at < 0) this.picked.push(name);
    if (!on && at >= 0) this.picked.splice(at, 1);
    this.showCount();
    this.draw();
  }

  private range(): [number, number] {
    const spans = this.runs.map((run) => run.span());
    const end = Math.max(...spans.map((span) => span[1]));
    const start = Math.min(...spans.map((span) => span[0]));
    return end > start ? [start, end] : [start, start + 1];
  }

  private curves(name: string, index: number): Curve[] {
    const several = this.runs.length > 1;
    const first = this.runs[0].series(name);
    const shown = this.asDifference ? this.runs.slice(1) : this.runs;
    return shown
      .filter((run) => run.series(name) !== null && (!this.asDifference || first !== null))
      .map((run) => ({
        run,
        name,
        label: several ? `${name} · ${run.label}${this.asDifference ? ` − ${this.runs[0].label}` : ''}` : name,
        colour: kCurveColours[index % kCurveColours.length],
        dash: kRunDashes[this.runs.indexOf(run) % kRunDashes.length],
        points: () => (this.asDifference ? difference(first!, run.series(name)!) : run.series(name)),
      }));
  }

  private differenceBox(): HTMLElement {
    const box = h('input', { type: 'checkbox', id: 'as-difference' });
    box.addEventListener('change', () => {
      this.asDifference = box.checked;
      this.draw();
    });
    return h('label', { class: 'control check' }, box, h('span', {}, 'difference to the first'));
  }

  /** Also after a change of theme: the charts take their colours when they are made. */
  draw(): void {
    for (const plot of this.current) plot.destroy();
    const byUnit = new Map<string, Curve[]>();
    for (const name of this.picked) {
      const unit = this.units.get(name) ?? '';
      const group = byUnit.get(unit) ?? [];
      const colour = new Set(group.map((curve) => curve.name)).size;
      group.push(...this.curves(name, colour));
      byUnit.set(unit, group);
    }
    const height = byUnit.size <= 2 ? 250 : 205;
    const host = { seek: this.seek, zoom: (range: [number, number] | null) => this.zoom(range) };
    this.current = [...byUnit].map(
      ([unit, curves]) => new Plot(unit, curves, host, height, this.range(), this.zoomed),
    );
    this.plots.replaceChildren(
      ...this.current.map((plot) => plot.element),
      ...(this.current.length === 0 ? [h('p', { class: 'empty' }, 'Pick channels above to plot them.')] : []),
    );
    this.setTime(this.time);
  }

  private zoom(range: [number, number] | null): void {
    this.zoomed = range;
    for (const plot of this.current) plot.setZoom(range);
  }

  setTime(t: number): void {
    this.time = t;
    for (const plot of this.current) plot.setTime(t);
  }

  refresh(): void {
    for (const plot of this.current) plot.refresh(this.range());
  }
}
