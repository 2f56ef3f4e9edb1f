// The page of a live run: the same view and plots, with start, pause, reset, speed, sliders, keys.

import { doorOf, header } from './app';
import { ChannelPlots } from './channels';
import { Connection, type LiveFrame, type LiveState } from './connection';
import type { LiveData, TunableData } from './contract';
import { h, number, prettyUnit } from './dom';
import { FlightPanel } from './flight';
import { GrowingRun } from './live_run';
import { Operators } from './operators';
import { eventsPanel, scenarioPanel } from './panels';
import { Stage } from './stage';
import { Tabs } from './tabs';

const kSpeeds: [string, number | null][] = [
  ['0.1 × real time', 0.1],
  ['0.25 × real time', 0.25],
  ['0.5 × real time', 0.5],
  ['real time', 1],
  ['2 × real time', 2],
  ['5 × real time', 5],
  ['10 × real time', 10],
  ['as fast as possible', null],
];
const kPlotMilliseconds = 150;

class LivePage {
  private readonly run: GrowingRun;
  private readonly connection: Connection;
  private stage: Stage | null = null;
  private plots: ChannelPlots | null = null;
  private epoch = -1;
  private lastPlot = 0;
  private state: LiveState | null = null;
  private readonly start = h('button', { type: 'button', class: 'primary', id: 'start' }, '▶ Start');
  private readonly reset = h('button', { type: 'button', id: 'reset' }, 'Reset');
  private readonly speed = h('select', { id: 'speed', 'aria-label': 'speed' });
  private readonly shown = h('output', { class: 'time', id: 'time' });
  private readonly rate = h('output', { class: 'muted', id: 'achieved' });
  private readonly progress = h('progress', { max: 1, value: 0 });
  private readonly note = h('p', { class: 'warnings', role: 'status', hidden: true });
  private readonly chip = h('span', { class: 'chip', id: 'status' }, 'connecting');
  private readonly events = h('div', { class: 'panel' });
  private readonly step = h('button', { type: 'button', id: 'step', title: 'go on by so much and pause there; keys held down act all the while' }, 'Step');
  private readonly stepSize = h('input', { type: 'number', id: 'step-size', min: 0.01, max: 3600, step: 'any', value: 1, 'aria-label': 'seconds of a step' });
  private readonly flight: FlightPanel;
  private readonly operators: Operators;
  private readonly sliders = new Map<string, { slider: HTMLInputElement; value: HTMLElement; data: TunableData }>();

  constructor(
    private readonly root: HTMLElement,
    private readonly live: LiveData,
  ) {
    this.run = new GrowingRun(live);
    this.connection = new Connection(live.token, {
      state: (state) => this.takeState(state),
      frame: (frame) => this.takeFrame(frame),
      connected: (yes) => this.tell(yes ? '' : 'The connection to grapple is lost. Is it still running?'),
      refused: (text) => this.tell(text),
    });
    this.operators = new Operators(live.operators, this.connection, (name, value) => this.flight.showStick(name, value));
    this.flight = new FlightPanel(live, (operator, choice) => this.operators.choose(operator, choice));
  }

  private tell(text: string): void {
    this.note.textContent = text;
    this.note.hidden = text === '';
  }

  /** Built when the first row is here: the view needs poses. */
  private build(): void {
    this.stage = new Stage([this.run]);
    this.plots = new ChannelPlots([this.run], () => undefined);
    const tabs = new Tabs([
      ['Plots', h('div', {}, this.note, this.controls(), this.plots.element)],
      ['Events', this.events],
      ['Scenario', scenarioPanel([this.run])],
    ]);
    const head = header(this.live.title, [['live', 'warn']], () => {
      this.stage?.view?.theme();
      this.plots?.draw();
    });
    head.querySelector('.spacer')!.before(this.chip);
    this.root.replaceChildren(head, h('main', {}, this.stage.element, tabs.element), this.bar());
    const page = this;
    window.grapple = doorOf(this.stage, {
      get time() {
        return page.run.span()[1];
      },
      set: () => undefined, // a live run has only its newest moment
    });
    const loop = () => {
      this.stage?.view?.render();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  private bar(): HTMLElement {
    for (const [text, value] of kSpeeds) this.speed.append(h('option', { value: String(value) }, text));
    this.speed.value = '1';
    this.start.addEventListener('click', () => this.toggle());
    this.reset.addEventListener('click', () => void this.connection.send({ command: 'reset' }));
    this.speed.addEventListener('change', () => {
      const value = this.speed.value === 'null' ? null : Number(this.speed.value);
      void this.connection.send({ command: 'speed', value });
    });
    document.addEventListener('keydown', (event) => {
      const busy = ['INPUT', 'SELECT', 'BUTTON'].includes((event.target as HTMLElement).tagName);
      if (event.key !== ' ' || busy) return;
      event.preventDefault();
      this.toggle();
    });
    this.step.addEventListener('click', () => this.goStep());
    const step = h('label', { class: 'control' }, this.step, this.stepSize, h('span', {}, 's'));
    return h('footer', { class: 'transport' }, this.start, step, this.reset, this.progress, this.shown, this.rate, h('label', { class: 'control' }, h('span', {}, 'Speed'), this.speed));
  }

  private toggle(): void {
    const running = this.state?.status === 'running';
    void this.connection.send(running ? { command: 'pause' } : { command: 'start', operate: this.operators.commands() });
  }

  /** What the sticks say goes along: the step is then the same however long all takes. */
  private goStep(): void {
    const size = Number(this.stepSize.value);
    if (!(size > 0) || !this.stepSize.checkValidity()) return this.tell('A step is a positive number of seconds.');
    const until = Math.round((this.run.span()[1] + size) * 1e6) / 1e6;
    void this.connection.send({ command: 'start', until, operate: this.operators.commands() });
  }

  private controls(): HTMLElement {
    const panel = h('div', { class: 'live-panel' });
    for (const data of this.live.tunables) panel.append(this.slider(data));
    return h('div', {}, panel, this.flight.element);
  }

  private slider(data: TunableData): HTMLElement {
    const slider = h('input', { type: 'range', min: 0, max: 1000, step: 1, 'data-tune': data.name, 'aria-label': data.name });
    const value = h('output', {});
    this.sliders.set(data.name, { slider, value, data });
    this.showTunable(data.name, data.value);
    slider.addEventListener('input', () => {
      const chosen = data.from + (Number(slider.value) / 1000) * (data.to - data.from);
      value.textContent = `${number(chosen)} ${unitOf(data)}`;
      void this.connection.send({ command: 'tune', name: data.name, value: chosen });
    });
    return h('label', { class: 'tunable' }, h('span', {}, data.name), slider, value);
  }

  private showTunable(name: string, now: number): void {
    const found = this.sliders.get(name);
    if (!found || document.activeElement === found.slider) return;
    const { slider, value, data } = found;
    slider.value = String(Math.round(((now - data.from) / (data.to - data.from)) * 1000));
    value.textContent = `${number(now)} ${unitOf(data)}`;
  }

  private takeState(state: LiveState): void {
    this.state = state;
    this.begin(state.epoch);
    this.run.events = state.events;
    this.run.status = state.status;
    this.chip.textContent = state.cause ? `${state.status}: ${state.cause}` : state.status;
    this.start.textContent = state.status === 'running' ? '❚❚ Pause' : '▶ Start';
    this.start.disabled = !['running', 'paused'].includes(state.status);
    this.step.disabled = state.status !== 'paused';
    this.speed.value = String(state.speed);
    this.rate.textContent = state.status === 'running' && state.achieved > 0 ? `runs at ${number(Number(state.achieved.toPrecision(3)))} × real time` : '';
    for (const [name, value] of Object.entries(state.tunables)) this.showTunable(name, value);
    this.tell(state.message);
    this.events.replaceChildren(eventsPanel([this.run], () => undefined));
  }

  private begin(epoch: number): void {
    if (epoch === this.epoch) return;
    this.epoch = epoch;
    this.operators.forgetChoices();
    this.run.clear();
  }

  private takeFrame(frame: LiveFrame): void {
    this.begin(frame.epoch);
    this.run.append(frame.t, frame.row);
    if (!this.stage) this.build();
    this.stage!.view?.setTime(frame.t);
    this.shown.textContent = `${frame.t.toFixed(2)} / ${number(this.live.duration)} s`;
    this.progress.value = frame.t / this.live.duration;
    this.flight.update((channel) => this.run.latest(channel), (operator) => this.operators.choiceOf(operator), frame.score);
    const now = performance.now();
    const settled = this.state?.status !== 'running';
    if (now - this.lastPlot > kPlotMilliseconds || settled) {
      this.lastPlot = now;
      this.stage!.view?.includeNow();
      this.plots!.setTime(frame.t);
      this.plots!.refresh();
    }
  }
}

function unitOf(data: TunableData): string {
  return data.unit === '1' ? '' : prettyUnit(data.unit);
}

export function showLive(root: HTMLElement, live: LiveData): void {
  new LivePage(root, live);
}
