// One plot: the chosen channels of one unit over time, with a playhead, events, zoom and values.

import uPlot from 'uplot';
import { h, number, prettyUnit } from './dom';
import { valueAt, type Run, type Series } from './run';

export interface Curve {
  run: Run;
  name: string;
  label: string;
  colour: string;
  dash: number[];
  /** The curve's points; asked for again when a live run has grown. */
  points(): Series | null;
}

export interface PlotHost {
  /** A click asks for this time. */
  seek(t: number): void;
  /** A zoom of one plot is a zoom of all; null: everything. */
  zoom(range: [number, number] | null): void;
}

interface Row {
  curve: Curve;
  series: Series;
  value: HTMLElement;
}

/** Curves may have times of their own: one table with gaps where a curve has no row. */
function joined(series: Series[]): uPlot.AlignedData {
  const tables = series.map((one) => [Array.from(one.t), Array.from(one.v)] as uPlot.AlignedData);
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

export class Plot {
  readonly element = h('section', { class: 'plot' });
  private readonly rows: Row[] = [];
  private readonly chart: uPlot;
  private readonly canvasHost = h('div', { class: 'plot-canvas' });
  private time = 0;
  private hover: number | null = null;

  constructor(
    readonly unit: string,
    curves: Curve[],
    private readonly host: PlotHost,
    height: number,
    private range: [number, number],
    private zoomed: [number, number] | null,
  ) {
    const legend = h('div', { class: 'legend' });
    for (const curve of curves) {
      const series = curve.points();
      if (!series) continue;
      const value = h('output', { class: 'legend-value', 'data-channel': curve.name });
      const swatch = h('span', { class: 'swatch' });
      swatch.style.background = curve.colour;
      legend.append(h('div', { class: 'legend-row' }, swatch, h('span', { class: 'legend-name', title: curve.label }, curve.label), value));
      this.rows.push({ curve, series, value });
    }
    this.element.append(legend, this.canvasHost);
    this.chart = new uPlot(this.options(height), joined(this.rows.map((row) => row.series)), this.canvasHost);
    new ResizeObserver(() => this.resize()).observe(this.canvasHost);
  }

  private options(height: number): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif' };
    return {
      width: Math.max(200, this.canvasHost.clientWidth || 480),
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, sync: { key: 'grapple-time' }, points: { size: 6 } },
      scales: {
        x: { time: false, range: () => this.zoomed ?? this.range },
        y: { range: (_, low, high) => padded(low, high) },
      },
      series: [
        {},
        ...this.rows.map(({ curve }) => ({
          stroke: curve.colour,
          width: 1.5,
          dash: curve.dash,
          spanGaps: true,
          points: { show: false },
        })),
      ],
      axes: [
        { ...axis, label: 'time [s]', labelSize: 18, size: 34, labelFont: '11px system-ui, sans-serif' },
        {
          ...axis,
          label: this.unit === '1' || this.unit === '' ? '' : `[${prettyUnit(this.unit)}]`,
          labelSize: 18,
          size: 62,
          labelFont: '11px system-ui, sans-serif',
          values: (_, ticks) => ticks.map(number),
        },
      ],
      hooks: {
        setCursor: [(u) => this.hovered(u)],
        draw: [(u) => this.drawMarks(u)],
        setSelect: [(u) => this.selected(u)],
        ready: [(u) => this.listen(u)],
      },
    };
  }

  private listen(u: uPlot): void {
    let down = 0;
    u.over.addEventListener('mousedown', (event) => (down = event.clientX));
    u.over.addEventListener('mouseup', (event) => {
      if (Math.abs(event.clientX - down) < 4 && u.cursor.left !== undefined) {
        this.host.seek(u.posToVal(u.cursor.left, 'x'));
      }
    });
    u.over.addEventListener('dblclick', () => this.host.zoom(null));
  }

  private selected(u: uPlot): void {
    if (u.select.width < 4) return;
    const range: [number, number] = [
      u.posToVal(u.select.left, 'x'),
      u.posToVal(u.select.left + u.select.width, 'x'),
    ];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.host.zoom(range);
  }

  private hovered(u: uPlot): void {
    const left = u.cursor.left;
    this.hover = left === undefined || left < 0 ? null : u.posToVal(left, 'x');
    this.showValues();
  }

  private showValues(): void {
    const t = this.hover ?? this.time;
    for (const { series, value } of this.rows) {
      value.textContent = number(valueAt(series, t));
    }
  }

  private drawMarks(u: uPlot): void {
    const style = getComputedStyle(document.documentElement);
    const vertical = (t: number, colour: string, width: number, dash: number[]) => {
      const x = Math.round(u.valToPos(t, 'x', true)) + 0.5;
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width + 1) return;
      u.ctx.save();
      u.ctx.strokeStyle = colour;
      u.ctx.lineWidth = width * devicePixelRatio;
      u.ctx.setLineDash(dash);
      u.ctx.beginPath();
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
      u.ctx.restore();
    };
    for (const run of new Set(this.rows.map((row) => row.curve.run))) {
      for (const event of run.events) vertical(event.time, style.getPropertyValue('--muted').trim(), 1, [3, 3]);
    }
    vertical(this.time, style.getPropertyValue('--accent').trim(), 1.5, []);
  }

  setTime(t: number): void {
    this.time = t;
    this.showValues();
    this.chart.redraw(false, false);
  }

  setZoom(range: [number, number] | null): void {
    this.zoomed = range;
    this.refreshScale();
  }

  /** Fresh rows of a live run. */
  refresh(range: [number, number]): void {
    this.range = range;
    for (const row of this.rows) row.series = row.curve.points() ?? row.series;
    this.chart.setData(joined(this.rows.map((row) => row.series)));
    this.showValues();
  }

  private refreshScale(): void {
    const [min, max] = this.zoomed ?? this.range;
    this.chart.setScale('x', { min, max });
  }

  private resize(): void {
    const width = this.canvasHost.clientWidth;
    if (width > 0 && Math.abs(width - this.chart.width) > 1) {
      this.chart.setSize({ width, height: this.chart.height });
    }
  }

  destroy(): void {
    this.chart.destroy();
  }
}

/** A constant still needs an axis; others get a little air. */
function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const span = high - low;
  const scale = Math.max(Math.abs(low), Math.abs(high));
  if (span <= 1e-12 * scale || span === 0) {
    const pad = scale === 0 ? 1 : 0.1 * scale;
    return [low - pad, high + pad];
  }
  return [low - 0.06 * span, high + 0.06 * span];
}
