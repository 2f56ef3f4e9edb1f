// Where the energy came from and went: every account's change since the start, gains upwards and
// sources downwards. When the ledger closes, the two sides mirror each other.

import uPlot from 'uplot';
import { h, number, table } from './dom';
import { kCurveColours } from './channels';
import { valueAt, type Run } from './run';

const kPoints = 600;

interface Account {
  label: string;
  values: number[];
}

/** Changes of stored energy, and energy given away (negative: taken in) by work. */
function accounts(run: Run, times: number[]): Account[] {
  const found: Account[] = [];
  for (const channel of run.channels) {
    const [kind, name] = channel.name.split('/');
    if (channel.unit !== 'J' || name === 'total' || name === 'residual') continue;
    if (kind !== 'energy' && kind !== 'work') continue;
    const series = run.series(channel.name);
    if (!series || series.length === 0) continue;
    const start = series.v[0];
    const sign = kind === 'work' ? -1 : 1;
    const values = times.map((t) => sign * (valueAt(series, t) - start));
    if (values.every((value) => value === 0)) continue;
    found.push({ label: kind === 'work' ? `work of ${name}` : `stored ${name}`, values });
  }
  return found;
}

/** Cumulated gains (or sources) of accounts 0 ... k. */
function stacked(all: Account[], side: 1 | -1): number[][] {
  let sum = new Array<number>(all[0]?.values.length ?? 0).fill(0);
  return all.map((account) => {
    sum = sum.map((value, i) => value + (side * account.values[i] > 0 ? account.values[i] : 0));
    return sum;
  });
}

export class EnergyPanel {
  readonly element = h('div', { class: 'energy' });
  private chart: uPlot | null = null;
  private time = 0;

  constructor(
    private readonly run: Run,
    private readonly seek: (t: number) => void,
    private readonly title: string,
  ) {
    this.draw();
  }

  draw(): void {
    this.chart?.destroy();
    const [start, end] = this.run.span();
    const times = Array.from({ length: kPoints + 1 }, (_, k) => start + ((end - start) * k) / kPoints);
    const all = end > start ? accounts(this.run, times) : [];
    this.element.replaceChildren(h('h3', {}, this.title));
    if (all.length === 0) {
      this.element.append(h('p', { class: 'empty' }, 'This run recorded no energy that changes.'));
    } else {
      this.element.append(
        h('p', { class: 'muted' }, 'Change since the start. Above zero: energy stored or given away; below: where it came from. A closed ledger is symmetric.'),
        this.legend(all),
        this.plot(times, all),
      );
    }
    this.element.append(this.ledger());
  }

  private legend(all: Account[]): HTMLElement {
    const entries = all.map((account, k) => {
      const swatch = h('span', { class: 'swatch' });
      swatch.style.background = kCurveColours[k % kCurveColours.length];
      return h('span', { class: 'legend-row inline' }, swatch, account.label);
    });
    return h('div', { class: 'legend inline' }, ...entries);
  }

  private plot(times: number[], all: Account[]): HTMLElement {
    const host = h('div', { class: 'plot-canvas', 'data-testid': 'energy-plot' });
    // The outermost sum is drawn first, the inner ones over it.
    const order = all.map((_, k) => all.length - 1 - k);
    const [gains, sources] = [stacked(all, 1), stacked(all, -1)];
    const colour = (k: number) => kCurveColours[k % kCurveColours.length];
    const area = (k: number): uPlot.Series => ({ stroke: colour(k), fill: colour(k), width: 0.5, points: { show: false } });
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif' };
    requestAnimationFrame(() => {
      this.chart = new uPlot(
        {
          width: Math.max(200, host.clientWidth),
          height: 280,
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, points: { show: false } },
          scales: { x: { time: false } },
          series: [{}, ...order.map(area), ...order.map(area)],
          axes: [
            { ...axis, label: 'time [s]', labelSize: 18, size: 34, labelFont: '11px system-ui, sans-serif' },
            { ...axis, label: '[J]', labelSize: 18, size: 62, labelFont: '11px system-ui, sans-serif', values: (_, ticks) => ticks.map(number) },
          ],
          hooks: {
            draw: [(u) => this.playhead(u)],
            ready: [(u) => u.over.addEventListener('click', () => this.seek(u.posToVal(u.cursor.left ?? 0, 'x')))],
          },
        },
        [times, ...order.map((k) => gains[k]), ...order.map((k) => sources[k])],
        host,
      );
      new ResizeObserver(() => {
        if (host.clientWidth > 0) this.chart?.setSize({ width: host.clientWidth, height: 280 });
      }).observe(host);
    });
    return host;
  }

  private playhead(u: uPlot): void {
    const x = u.valToPos(this.time, 'x', true);
    u.ctx.save();
    u.ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--ink').trim();
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private ledger(): HTMLElement {
    const energy = this.run.summary?.energy;
    if (!energy) return h('p', { class: 'empty' }, 'No ledger: the run left no summary.');
    const rows = energy.ledger.filter((entry) => entry.joule !== 0).map((entry) => [entry.name, number(entry.joule)]);
    rows.push(['residual', number(energy.residual_joule)]);
    rows.push(['relative residual', number(energy.relative_residual)]);
    return h('div', {}, h('h3', {}, 'Ledger at the end'), table(['account', 'joule'], rows));
  }

  setTime(t: number): void {
    this.time = t;
    this.chart?.redraw(false, false);
  }
}
