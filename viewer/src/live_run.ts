// A run under way: rows arrive one by one and are kept, thinned by halves when they grow too many.

import { rowOfBase64 } from './blob';
import type { EventData, LiveData, SceneData } from './contract';
import type { Channel, Run, Series } from './run';

const kMostBytes = 64e6;

export class GrowingRun implements Run {
  readonly label: string;
  readonly title: string;
  readonly version: string;
  readonly seed: number;
  readonly scenario: string;
  readonly scene: SceneData;
  readonly channels: Channel[];
  readonly summary = null;
  readonly cause = '';
  readonly thinned = false;
  events: EventData[] = [];
  status = 'paused';
  rows = 0;
  private readonly byName = new Map<string, number>();
  private readonly width: number;
  private readonly most: number;
  private time: number[] = [];
  private table: Float32Array[] = [];
  /** One of so many arriving rows is kept. */
  private stride = 1;
  private arrived = 0;

  constructor(data: LiveData) {
    this.label = this.title = data.title;
    this.version = data.version;
    this.seed = data.seed;
    this.scenario = data.scenario;
    this.scene = data.scene;
    this.channels = data.channels;
    this.width = data.channels.length;
    this.most = Math.max(600, Math.floor(kMostBytes / (4 * this.width)));
    data.channels.forEach((channel, i) => this.byName.set(channel.name, i));
  }

  clear(): void {
    this.time = [];
    this.table = [];
    this.rows = this.arrived = 0;
    this.stride = 1;
    this.events = [];
  }

  append(t: number, row: string): void {
    const last = this.time.length - 1;
    const values = rowOfBase64(row);
    // The newest row is always there, kept or not: it is what the picture shows.
    if (last >= 0 && (t === this.time[last] || this.arrived++ % this.stride !== 0)) {
      this.time[last] = t;
      this.table[last] = values;
    } else {
      this.time.push(t);
      this.table.push(values);
    }
    if (this.time.length > this.most) this.halve();
    this.rows = this.time.length;
  }

  private halve(): void {
    const keep = (_: unknown, i: number) => i % 2 === 0 || i === this.time.length - 1;
    this.table = this.table.filter(keep);
    this.time = this.time.filter(keep);
    this.stride *= 2;
  }

  span(): [number, number] {
    return this.rows === 0 ? [0, 0] : [this.time[0], this.time[this.rows - 1]];
  }

  times(): ArrayLike<number> {
    return this.time;
  }

  series(name: string): Series | null {
    const column = this.byName.get(name);
    if (column === undefined) return null;
    return { t: this.time, v: this.table.map((row) => row[column]), length: this.rows };
  }

  /** Looks like a series and always shows the rows of the moment. */
  motion(name: string): Series | null {
    const column = this.byName.get(name);
    if (column === undefined) return null;
    return new LiveColumn(this, column);
  }

  /** The newest value of a channel; not a number if there is none. */
  latest(name: string): number {
    const column = this.byName.get(name);
    return column === undefined || this.rows === 0 ? NaN : this.table[this.rows - 1][column];
  }

  at(row: number, column: number): number {
    return this.table[row][column];
  }
  timeOf(row: number): number {
    return this.time[row];
  }
}

class LiveColumn implements Series {
  readonly t: ArrayLike<number>;
  readonly v: ArrayLike<number>;

  constructor(
    private readonly run: GrowingRun,
    column: number,
  ) {
    this.t = view(run, (row) => run.timeOf(row));
    this.v = view(run, (row) => run.at(row, column));
  }
  get length(): number {
    return this.run.rows;
  }
}

function view(run: GrowingRun, read: (row: number) => number): ArrayLike<number> {
  return new Proxy([] as number[], {
    get: (_, key) => (key === 'length' ? run.rows : read(Number(key))),
  });
}
