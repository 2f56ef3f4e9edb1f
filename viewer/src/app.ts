// The page of recorded runs: header, 3-D view, tabs, transport, all tied to one clock.

import { Vector3 } from 'three';
import { ChannelPlots } from './channels';
import type { ModesData } from './contract';
import { Clock } from './clock';
import { differencesPanel } from './differences';
import { h } from './dom';
import { EnergyPanel } from './energy';
import { showModes } from './modes';
import { eventsPanel, scenarioPanel, summaryPanel } from './panels';
import type { Run } from './run';
import { Stage } from './stage';
import { Tabs } from './tabs';
import { themeButton } from './theme';
import { Transport } from './transport';

export function header(title: string, chips: [string, string][], onTheme: () => void): HTMLElement {
  return h(
    'header',
    {},
    h('span', { class: 'mark' }, 'Grapple'),
    h('h1', { title }, title),
    ...chips.map(([text, kind]) => h('span', { class: `chip ${kind}` }, text)),
    h('span', { class: 'spacer' }),
    themeButton(onTheme),
  );
}

function statusKind(status: string): string {
  if (status === 'completed' || status === 'stopped by event') return 'good';
  return status === 'running' || status === 'interrupted' ? 'warn' : 'bad';
}

/** What tests and scripts may ask the page. */
export interface ViewerDoor {
  setTime(t: number): void;
  time(): number;
  /** Pixel, from the canvas' corner, of the drawn origin of a body's frame. */
  pixelOfBody(name: string): [number, number] | null;
  /** Pixel of the drawn origin of a contact shape. */
  pixelOfShape(name: string): [number, number] | null;
  /** Pixel of a point of the world. */
  pixelOfPoint(x: number, y: number, z: number): [number, number] | null;
}

declare global {
  interface Window {
    grapple?: ViewerDoor;
  }
}

export function doorOf(stage: Stage, clock: { time: number; set(t: number): void }): ViewerDoor {
  return {
    setTime: (t) => clock.set(t),
    time: () => clock.time,
    pixelOfBody: (name) => {
      const pose = stage.view?.figures[0].poseOf(name);
      return pose ? stage.view!.pixelOf(new Vector3().setFromMatrixPosition(pose)) : null;
    },
    pixelOfShape: (name) => {
      const origin = stage.view?.shapes.originOf(name);
      return origin ? stage.view!.pixelOf(origin) : null;
    },
    pixelOfPoint: (x, y, z) => stage.view?.pixelOf(new Vector3(x, y, z)) ?? null,
  };
}

export function showRuns(root: HTMLElement, runs: Run[], modes: ModesData | null): void {
  const starts = runs.map((run) => run.span()[0]);
  const ends = runs.map((run) => run.span()[1]);
  const clock = new Clock(Math.min(...starts), Math.max(...ends));
  const seek = (t: number) => {
    clock.playing = false;
    clock.set(t);
  };
  const stage = new Stage(runs);
  const plots = new ChannelPlots(runs, seek);
  const energies = runs.map((run) => new EnergyPanel(run, seek, runs.length > 1 ? `Energy accounts of ${run.label}` : 'Energy accounts'));
  const tabs = new Tabs([
    ['Plots', plots.element],
    ...(runs.length > 1 ? ([['Differences', differencesPanel(runs, seek)]] as [string, HTMLElement][]) : []),
    ['Energy', h('div', {}, ...energies.map((panel) => panel.element))],
    ['Summary', summaryPanel(runs, seek)],
    [`Events (${runs.reduce((sum, run) => sum + run.events.length, 0)})`, eventsPanel(runs, seek)],
    ['Scenario', scenarioPanel(runs)],
  ]);
  const restyle = () => {
    stage.view?.theme();
    plots.draw();
    for (const panel of energies) panel.draw();
  };
  const title = runs.length === 1 ? runs[0].title : runs.map((run) => run.label).join(' · ');
  const chips: [string, string][] = runs.map((run) => [runs.length > 1 ? `${run.label}: ${run.status}` : run.status, statusKind(run.status)]);
  if (runs.length === 1) chips.push([`seed ${runs[0].seed}`, ''], [`v${runs[0].version}`, '']);
  const transport = new Transport(clock, runs[0].times());
  const head = header(title, chips, restyle);
  if (modes) {
    const back = h('button', { type: 'button' }, 'Back to the run');
    const go = h('button', { type: 'button', id: 'modes' }, 'Natural modes');
    go.addEventListener('click', () => {
      clock.playing = false;
      const page = [...root.children];
      back.onclick = () => {
        root.replaceChildren(...page);
        window.grapple = door;
      };
      showModes(root, modes, back);
    });
    head.querySelector('.spacer')!.before(go);
  }
  root.replaceChildren(head, h('main', {}, stage.element, tabs.element), transport.element);
  clock.listen((t) => {
    stage.view?.setTime(t);
    plots.setTime(t);
    for (const panel of energies) panel.setTime(t);
  });
  clock.set(clock.start);
  const door = doorOf(stage, clock);
  window.grapple = door;
  const loop = (now: number) => {
    clock.tick(now);
    stage.view?.render();
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}
