// The one time everything shows: plays, steps, jumps, and tells whoever listens.

export type Listener = (time: number) => void;

export class Clock {
  time: number;
  playing = false;
  /** Simulated seconds per second. */
  speed = 1;
  private readonly listeners: Listener[] = [];
  private last = 0;

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  set(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    for (const listener of this.listeners) listener(this.time);
  }

  play(): void {
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    this.set(this.time);
  }

  pause(): void {
    this.playing = false;
    this.set(this.time);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Called once per picture. */
  tick(now: number): void {
    if (!this.playing) return;
    const next = this.time + ((now - this.last) / 1000) * this.speed;
    this.last = now;
    if (next >= this.end) this.playing = false;
    this.set(next);
  }
}
