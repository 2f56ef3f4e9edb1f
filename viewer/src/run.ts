// A run as the rest of the viewer sees it: channels by name, values at any time. Between two rows
// values are linear; before the first and after the last they stay.

import type { Blob32 } from './blob';
import type { EventData, RunData, SceneData, SummaryData } from './contract';

export interface Series {
  t: ArrayLike<number>;
  v: ArrayLike<number>;
  length: number;
}

export interface Channel {
  name: string;
  unit: string;
}

export interface Run {
  readonly label: string;
  readonly title: string;
  readonly version: string;
  readonly seed: number;
  readonly scenario: string;
  readonly scene: SceneData | null;
  readonly channels: Channel[];
  readonly events: EventData[];
  readonly summary: SummaryData | null;
  readonly status: string;
  readonly cause: string;
  readonly rows: number;
  readonly thinned: boolean;
  span(): [number, number];
  /** Times one can step through. */
  times(): ArrayLike<number>;
  /** For plots: complete, or thinned out with its extremes kept. Null: no such channel. */
  series(name: string): Series | null;
  /** For the 3-D view: evenly spread in time. */
  motion(name: string): Series | null;
}

/** Index of the last entry that is not after t, at least 0. */
export function rowBefore(series: { t: ArrayLike<number>; length: number }, t: number): number {
  let low = 0;
  let high = series.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (series.t[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The time of the next row after t (steps > 0) or before it, `steps` rows away. */
export function stepFrom(times: ArrayLike<number>, t: number, steps: number): number {
  const last = times.length - 1;
  let row = rowBefore({ t: times, length: times.length }, t);
  if (steps < 0 && times[row] < t) row++; // between two rows, the one before is a step away
  return times[Math.min(last, Math.max(0, row + steps))];
}

export function valueAt(series: Series, t: number): number {
  if (series.length === 0) return NaN;
  const i = rowBefore(series, t);
  if (i + 1 >= series.length || t <= series.t[i]) return series.v[i];
  const share = (t - series.t[i]) / (series.t[i + 1] - series.t[i]);
  return series.v[i] + share * (series.v[i + 1] - series.v[i]);
}

export class RecordedRun implements Run {
  readonly label: string;
  readonly title: string;
  readonly version: string;
  readonly seed: number;
  readonly scenario: string;
  readonly scene: SceneData | null;
  readonly channels: Channel[];
  readonly events: EventData[];
  readonly summary: SummaryData | null;
  readonly status: string;
  readonly cause: string;
  readonly rows: number;
  readonly thinned: boolean;
  private readonly byName = new Map<string, number>();
  private readonly cache = new Map<string, Series>();
  private readonly motionCache = new Map<string, Series>();
  private readonly time: Float64Array | null;
  private readonly replayTime: Float64Array | null;

  constructor(
    private readonly data: RunData,
    private readonly blob: Blob32,
  ) {
    this.label = data.label;
    this.title = data.title;
    this.version = data.version;
    this.seed = data.seed;
    this.scenario = data.scenario;
    this.scene = data.scene;
    this.channels = data.channels;
    this.events = data.events;
    this.summary = data.summary;
    this.status = data.status;
    this.cause = data.cause;
    this.rows = data.rows;
    this.thinned = data.thinned;
    data.channels.forEach((channel, i) => this.byName.set(channel.name, i));
    this.time = data.time === undefined ? null : blob.float64(data.time, data.rows);
    this.replayTime = data.replay ? blob.float64(data.replay.time, data.replay.count) : null;
  }

  span(): [number, number] {
    return this.data.span ?? [0, 0];
  }

  times(): ArrayLike<number> {
    return this.time ?? this.replayTime ?? this.span();
  }

  series(name: string): Series | null {
    const found = this.cache.get(name);
    if (found) return found;
    const index = this.byName.get(name);
    if (index === undefined) return null;
    const series = this.read(index);
    this.cache.set(name, series);
    return series;
  }

  private read(index: number): Series {
    const channel = this.data.channels[index];
    if (channel.at === undefined) {
      const value = channel.constant ?? NaN;
      return { t: this.span(), v: [value, value], length: this.rows > 0 ? 2 : 0 };
    }
    if (channel.time !== undefined && channel.count !== undefined) {
      return {
        t: this.blob.float32(channel.time, channel.count),
        v: this.blob.float32(channel.at, channel.count),
        length: channel.count,
      };
    }
    return { t: this.time!, v: this.blob.float32(channel.at, this.rows), length: this.rows };
  }

  motion(name: string): Series | null {
    const at = this.data.replay?.series[name];
    if (at === undefined) return this.series(name);
    let series = this.motionCache.get(name);
    if (!series) {
      const count = this.data.replay!.count;
      series = { t: this.replayTime!, v: this.blob.float32(at, count), length: count };
      this.motionCache.set(name, series);
    }
    return series;
  }
}
