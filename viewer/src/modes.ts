// The page of natural modes: a list to choose from, and the chosen mode swinging.

import { doorOf, header } from './app';
import type { ModeData, ModesData } from './contract';
import { h, number, table } from './dom';
import { sizeOf, boxAt } from './extent';
import { ModeRun } from './mode_run';
import { Stage } from './stage';
import { Tabs } from './tabs';

/** Seconds one swing takes on the screen, whatever its frequency. */
const kPeriod = 2;

/** So that the place that moves most moves a tenth of the whole. */
function naturalAmplitude(data: ModesData, mode: ModeData): number {
  const rest = new ModeRun(data, mode, 0);
  const size = sizeOf(boxAt(rest, data.scene, 0));
  let most = 0;
  for (const frame of mode.frames) {
    most = Math.max(most, Math.hypot(...frame.position_real, ...frame.position_imaginary));
    most = Math.max(most, (0.3 * size) * Math.hypot(...frame.rotation_real, ...frame.rotation_imaginary));
  }
  return most > 0 ? (0.1 * size) / most : 0;
}

function shares(all: Record<string, number>): string {
  return Object.entries(all)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .slice(0, 3)
    .filter(([, share]) => Math.abs(share) >= 0.01)
    .map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`)
    .join(', ');
}

/** Four digits; round-off of an undamped mode is no damping. */
function short(value: number): string {
  return number(Math.abs(value) < 1e-10 ? 0 : Number(value.toPrecision(4)));
}

class ModesPage {
  private chosen = 0;
  private factor = 1;
  private playing = true;
  private time = 0;
  private readonly run: ModeRun;
  private readonly stage: Stage;
  private readonly rows: HTMLTableRowElement[] = [];
  private readonly play = h('button', { type: 'button', class: 'primary', id: 'play' }, '❚❚');

  constructor(
    root: HTMLElement,
    private readonly data: ModesData,
    back: HTMLElement | null,
  ) {
    const first = data.modes.findIndex((mode) => mode.kind === 'oscillating');
    this.chosen = Math.max(0, first);
    const mode = data.modes[this.chosen];
    this.run = new ModeRun(data, mode, naturalAmplitude(data, mode));
    this.stage = new Stage([this.run]);
    const tabs = new Tabs([['Natural modes', this.list()]]);
    const head = header(data.scenario, [[`${data.modes.length} modes`, '']], () => this.stage.view?.theme());
    if (back) head.querySelector('.spacer')!.before(back);
    this.play.addEventListener('click', () => this.toggle());
    root.replaceChildren(head, h('main', {}, this.stage.element, tabs.element), h('footer', { class: 'transport' }, this.play, this.amplitude()));
    window.grapple = doorOf(this.stage, this.clock());
    this.show();
    let last = performance.now();
    const loop = (now: number) => {
      if (!this.stage.element.isConnected) return; // the page went back to the run
      if (this.playing) this.set((this.time + (now - last) / 1000 / kPeriod) % 1);
      last = now;
      this.stage.view?.render();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  private toggle(): void {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? '❚❚' : '▶';
  }

  private set(time: number): void {
    this.time = time;
    this.stage.view?.setTime(time);
  }

  private list(): HTMLElement {
    this.data.modes.forEach((mode, i) => {
      const pick = h('button', { type: 'button', class: 'link', 'data-mode': i + 1, click: () => this.choose(i) }, String(i + 1));
      this.rows.push(
        h('tr', {}, h('td', { class: 'tight' }, pick), h('td', { class: 'tight' }, `${short(mode.frequency_hz)} Hz`), h('td', { class: 'tight' }, short(mode.damping_ratio)), h('td', { class: 'tight' }, mode.kind), h('td', {}, shares(mode.kinetic_shares)), h('td', {}, shares(mode.stiffness_shares))),
      );
    });
    return h('div', { class: 'modes' }, table(['mode', 'frequency', 'damping', 'kind', 'moves', 'resists'], this.rows));
  }

  private amplitude(): HTMLElement {
    const slider = h('input', { type: 'range', min: 0, max: 3, step: 0.05, value: 1, id: 'amplitude', 'aria-label': 'amplitude' });
    slider.addEventListener('input', () => {
      this.factor = Number(slider.value);
      this.show();
    });
    return h('label', { class: 'control' }, h('span', {}, 'Amplitude'), slider);
  }

  private choose(index: number): void {
    this.chosen = index;
    this.show();
  }

  private show(): void {
    this.rows.forEach((row, i) => row.classList.toggle('chosen', i === this.chosen));
    const mode = this.data.modes[this.chosen];
    this.run.swing(mode, this.factor * naturalAmplitude(this.data, mode));
    this.set(this.time);
  }

  private clock() {
    const page = this;
    return {
      get time() {
        return page.time;
      },
      set(t: number) {
        page.playing = false;
        page.play.textContent = '▶';
        page.set(t);
      },
    };
  }
}

export function showModes(root: HTMLElement, data: ModesData, back: HTMLElement | null): void {
  new ModesPage(root, data, back);
}
