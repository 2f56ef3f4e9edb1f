// Play, pause, step, scrub, speed: the bar at the bottom of a recorded run.

import type { Clock } from './clock';
import { h, number } from './dom';
import { stepFrom } from './run';

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const kSteps = 100000;

export class Transport {
  readonly element = h('footer', { class: 'transport' });
  private readonly play = h('button', { type: 'button', class: 'primary', id: 'play', 'aria-label': 'play or pause (space)' });
  private readonly slider = h('input', { type: 'range', min: 0, max: kSteps, step: 1, value: 0, id: 'scrub', 'aria-label': 'time' });
  private readonly shown = h('output', { class: 'time', id: 'time' });
  private readonly speed = h('select', { 'aria-label': 'speed', id: 'speed' });

  constructor(
    private readonly clock: Clock,
    /** Of the recorded rows, to step through. */
    private readonly times: ArrayLike<number>,
  ) {
    for (const s of kSpeeds) this.speed.append(h('option', { value: s }, `${s} ×`));
    // A run of any length plays in about ten seconds at first.
    const length = clock.end - clock.start;
    this.choose(kSpeeds.reduce((best, s) => (Math.abs(Math.log((length || 1) / 10 / s)) < Math.abs(Math.log((length || 1) / 10 / best)) ? s : best)));
    this.play.addEventListener('click', () => clock.toggle());
    this.slider.addEventListener('input', () => {
      clock.playing = false;
      clock.set(clock.start + (Number(this.slider.value) / kSteps) * (clock.end - clock.start));
    });
    this.speed.addEventListener('change', () => (clock.speed = Number(this.speed.value)));
    const back = h('button', { type: 'button', 'aria-label': 'one step back', title: 'one step back (←)', click: () => this.by(-1) }, '‹');
    const on = h('button', { type: 'button', 'aria-label': 'one step on', title: 'one step on (→)', click: () => this.by(1) }, '›');
    this.element.append(back, this.play, on, this.slider, this.shown, h('label', { class: 'control' }, h('span', {}, 'Speed'), this.speed));
    clock.listen(() => this.show());
    this.show();
    document.addEventListener('keydown', (event) => this.key(event));
  }

  private choose(speed: number): void {
    this.clock.speed = speed;
    this.speed.value = String(speed);
  }

  private by(steps: number): void {
    this.clock.playing = false;
    this.clock.set(stepFrom(this.times, this.clock.time, steps));
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName) && target !== this.slider) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = kSpeeds.indexOf(this.clock.speed);
    const actions: Record<string, () => void> = {
      ' ': () => this.clock.toggle(),
      ArrowLeft: () => this.by(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.by(event.shiftKey ? 10 : 1),
      Home: () => this.clock.set(this.clock.start),
      End: () => this.clock.set(this.clock.end),
      '+': () => this.choose(kSpeeds[Math.min(kSpeeds.length - 1, at + 1)]),
      '-': () => this.choose(kSpeeds[Math.max(0, at - 1)]),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private show(): void {
    const { start, end, time, playing } = this.clock;
    this.play.textContent = playing ? '❚❚' : '▶';
    this.slider.value = String(end > start ? Math.round(((time - start) / (end - start)) * kSteps) : 0);
    this.shown.textContent = `${time.toFixed(digits(end - start))} / ${number(end)} s`;
  }
}

/** Decimals that tell a thousandth of the run apart. */
function digits(length: number): number {
  return Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(length || 1))));
}
