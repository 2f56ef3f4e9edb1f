// The 3-D view with its controls, or a page that says why there is none.

import { Vector3 } from 'three';
import { drawingNotes } from './contact_shapes';
import { contactNames } from './contacts';
import { isInOrbit } from './orbit_frame';
import type { SceneData } from './contract';
import { h } from './dom';
import type { Run } from './run';
import { View3D, type ViewSettings } from './view3d';

const kViews: [string, Vector3][] = [
  ['Perspective', new Vector3(0.75, -1.25, 0.62)],
  ['Front (−y)', new Vector3(0, -1, 0.0001)],
  ['Side (+x)', new Vector3(1, 0, 0.0001)],
  ['Top (+z)', new Vector3(0, -0.0001, 1)],
];

type Toggle = 'bodies' | 'shapes' | 'frames' | 'joints' | 'forces' | 'grid' | 'orbit' | 'labels';

export class Stage {
  readonly element = h('section', { class: 'stage', 'aria-label': '3-D view' });
  readonly view: View3D | null = null;
  private readonly canvas = h('div', { class: 'canvas' });

  constructor(runs: Run[]) {
    const scene = runs[0].scene;
    const host = this.canvas;
    this.element.append(host);
    if (!scene) {
      this.excuse('This run has no scene to draw', 'Its file was written by a version that did not keep one. Run the scenario again; the plots are complete.');
      return;
    }
    try {
      this.view = new View3D(host, runs, scene);
    } catch {
      this.excuse('No WebGL in this browser', 'The 3-D view needs WebGL. Turn on hardware acceleration or try another browser; plots and tables work without it.');
      return;
    }
    if (!this.view.figures[0].complete()) {
      this.excuse('Not every pose was recorded', 'The scenario records only some channels. Add "body/*/position_*", "body/*/orientation_*" and "body/*/mode/*/position" to simulate.record.channels to see all bodies.');
    }
    this.element.append(this.controls(scene, runs[0]));
  }

  private excuse(title: string, text: string): void {
    this.element.append(h('div', { class: 'excuse', role: 'status' }, h('strong', {}, title), h('p', {}, text)));
  }

  private set<K extends keyof ViewSettings>(key: K, value: ViewSettings[K]): void {
    this.view!.settings[key] = value;
    this.view!.applySettings();
  }

  private controls(scene: SceneData, run: Run): HTMLElement {
    const view = this.view!;
    const bodies = scene.bodies.map((body) => body.name);
    const flexible = scene.bodies.some((body) => body.flexible);
    const bar = h('div', { class: 'stage-controls' });
    bar.append(
      this.select('View', kViews.map(([name]) => name), (name) => {
        view.lookFrom(kViews.find(([one]) => one === name)![1]);
      }),
      this.select('Follow', ['nothing', ...bodies], (name) => this.set('follow', name === 'nothing' ? '' : name)),
      this.select('Trail', ['none', ...this.trails(scene)], (name) => this.set('trail', name === 'none' ? '' : name)),
      this.ghosts(),
    );
    const cameras = (scene.cameras ?? []).map((camera) => camera.name);
    if (cameras.length > 0) {
      bar.append(this.select('Camera', [...cameras, 'none'], (name) => this.set('camera', name === 'none' ? '' : name)));
      this.set('camera', cameras[0]);
    }
    if (flexible) bar.append(this.exaggeration());
    const toggles: [Toggle, string][] = [['bodies', 'Bodies'], ['joints', 'Joints'], ['frames', 'Frames'], ['labels', 'Names'], ['grid', 'Grid']];
    if (scene.forces.length > 0 || contactNames(run).length > 0) toggles.push(['forces', 'Forces']);
    if (isInOrbit(run)) toggles.push(['orbit', 'Orbit axes']);
    if ((scene.contact_shapes ?? []).length > 0) toggles.splice(1, 0, ['shapes', 'Contact shapes']);
    bar.append(...toggles.map(([key, label]) => this.toggle(key, label)));
    const notes = drawingNotes(scene);
    if (notes.length > 0) bar.append(h('span', { class: 'muted', title: notes.join('\n') }, 'meshes drawn coarser'));
    return bar;
  }

  /** Evenly spread, or wherever the user leaves one. */
  private ghosts(): HTMLElement {
    const view = this.view!;
    const control = this.select('Ghosts', ['none', '3', '5', '9'], (text) => this.set('ghosts', view.evenTimes(Number(text) || 0)));
    const here = h('button', { type: 'button', id: 'ghost-here', title: 'leave a ghost at this time', click: () => view.addGhostHere() }, '+ here');
    const clear = h('button', { type: 'button', id: 'ghosts-away', title: 'take all ghosts away', click: () => {
      control.querySelector('select')!.value = 'none';
      this.set('ghosts', []);
    } }, '×');
    return h('span', { class: 'control' }, control, here, clear);
  }

  private trails(scene: SceneData): string[] {
    return scene.bodies.flatMap((body) => [`body/${body.name}`, ...body.frames.map((frame) => frame.channel)]);
  }

  private select(label: string, options: string[], chosen: (value: string) => void): HTMLElement {
    const select = h('select', { 'aria-label': label }, ...options.map((text) => h('option', { value: text }, text)));
    select.addEventListener('change', () => chosen(select.value));
    return h('label', { class: 'control' }, h('span', {}, label), select);
  }

  private toggle(key: Toggle, label: string): HTMLElement {
    const box = h('input', { type: 'checkbox' });
    box.checked = this.view!.settings[key];
    box.addEventListener('change', () => this.set(key, box.checked));
    return h('label', { class: 'control check' }, box, h('span', {}, label));
  }

  /** 1 to 1000, by powers: small deflections need a lot. */
  private exaggeration(): HTMLElement {
    const slider = h('input', { type: 'range', min: 0, max: 3, step: 0.05, value: 0, id: 'exaggeration', 'aria-label': 'exaggeration of deformation' });
    const shown = h('output', {}, '× 1');
    slider.addEventListener('input', () => {
      const factor = 10 ** Number(slider.value);
      shown.textContent = `× ${factor < 10 ? factor.toFixed(1).replace('.0', '') : factor.toFixed(0)}`;
      this.set('exaggeration', factor);
    });
    return h('label', { class: 'control' }, h('span', {}, 'Bending'), slider, shown);
  }
}
