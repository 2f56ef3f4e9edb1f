// The 3-D view: camera, ground, the figures of all runs, ghosts, trail, arrows, name labels.

import {
  AxesHelper,
  Box3,
  BufferGeometry,
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { ForceArrows } from './arrows';
import { CameraInset } from './camera_inset';
import { ContactShapes } from './contact_shapes';
import { ContactArrows } from './contacts';
import type { SceneData } from './contract';
import { h } from './dom';
import { boxAt, boxOver, sizeOf } from './extent';
import { Figure } from './figure';
import { PoseTrack } from './motion';
import { OrbitFrame } from './orbit_frame';
import type { Run } from './run';

const kOtherRunColours = [0xd1495b, 0x2f9e6e, 0x8e5bb5, 0xc28f4b];
const kMostTrailPoints = 4000;

export interface ViewSettings {
  exaggeration: number;
  bodies: boolean;
  shapes: boolean;
  frames: boolean;
  joints: boolean;
  forces: boolean;
  grid: boolean;
  orbit: boolean;
  labels: boolean;
  /** Times at which the configuration stands as a ghost. */
  ghosts: number[];
  trail: string;
  follow: string;
  /** Name of a camera whose picture stands in a corner. */
  camera: string;
}

export class View3D {
  readonly settings: ViewSettings = {
    exaggeration: 1,
    bodies: true,
    shapes: true,
    frames: false,
    joints: true,
    forces: true,
    grid: true,
    orbit: true,
    labels: false,
    ghosts: [],
    trail: '',
    follow: '',
    camera: '',
  };
  readonly figures: Figure[] = [];
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly world = new Scene();
  private readonly labels: { name: string; element: HTMLElement }[] = [];
  private readonly arrows: ForceArrows;
  private readonly contacts: ContactArrows;
  private readonly orbit: OrbitFrame;
  private readonly orbitLabels: HTMLElement[] = [];
  readonly shapes: ContactShapes;
  private readonly inset: CameraInset;
  private readonly size: number;
  private readonly origin: AxesHelper;
  private box: Box3;
  private ghosts: Figure[] = [];
  private grid: GridHelper;
  private trail: Line | null = null;
  private followed: Vector3 | null = null;
  private time = 0;
  private dirty = true;

  /** Throws if the browser has no WebGL. */
  constructor(
    private readonly host: HTMLElement,
    private readonly runs: Run[],
    private readonly scene: SceneData,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.domElement.setAttribute('aria-label', '3-D view of the bodies');
    host.append(this.renderer.domElement);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.camera.up.set(0, 0, 1);

    this.size = sizeOf(boxAt(runs[0], scene, runs[0].span()[0]));
    this.box = boxOver(runs[0], scene, 24);
    const radius = 0.011 * this.size;
    runs.forEach((run, i) => {
      const look =
        i === 0
          ? ({ kind: 'solid' } as const)
          : ({ kind: 'ghost', colour: kOtherRunColours[(i - 1) % 4], opacity: 0.55 } as const);
      if (run.scene) this.figures.push(new Figure(run, run.scene, radius, look));
    });
    for (const figure of this.figures) this.world.add(figure.group);
    this.arrows = new ForceArrows(runs[0], scene, this.figures[0], 0.22 * this.size);
    this.world.add(this.arrows.group);
    this.contacts = new ContactArrows(runs[0], 0.22 * this.size);
    this.world.add(this.contacts.group);
    this.orbit = new OrbitFrame(runs[0], 0.35 * this.size);
    this.world.add(this.orbit.group);
    this.inset = new CameraInset(host, runs[0], scene.cameras ?? [], () => (this.dirty = true));
    this.shapes = new ContactShapes(scene, this.box);
    this.world.add(this.shapes.group);
    this.origin = new AxesHelper(0.12 * this.size);
    this.world.add(this.origin);
    this.addLabels();
    this.world.add(new HemisphereLight(0xffffff, 0x8a94a0, 1.7));
    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.set(0.6, -1, 1.4);
    this.world.add(sun);
    this.grid = this.makeGrid();
    this.theme();
    this.applySettings();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.lookFrom(new Vector3(0.75, -1.25, 0.62));
  }

  private makeGrid(): GridHelper {
    const span = Math.max(sizeOf(this.box), this.size);
    const step = 10 ** Math.floor(Math.log10(span / 2));
    const cells = 2 * Math.ceil(span / step);
    const grid = new GridHelper(cells * step, cells);
    grid.rotateX(Math.PI / 2); // three's grid lies in x-z
    // Under everything that moves, on the lines of the world's metres.
    const centre = this.box.isEmpty() ? new Vector3() : this.box.getCenter(new Vector3());
    const floor = this.box.isEmpty() ? 0 : Math.min(0, this.box.min.z - 0.04 * this.size);
    grid.position.set(Math.round(centre.x / step) * step, Math.round(centre.y / step) * step, floor);
    return grid;
  }

  private addLabels(): void {
    for (const name of this.figures[0].names()) {
      const element = h('span', { class: 'label3d' }, name);
      this.labels.push({ name, element });
      this.host.append(element);
    }
    for (const { name } of this.orbit.tips) {
      const element = h('span', { class: 'label3d' }, name);
      this.orbitLabels.push(element);
      this.host.append(element);
    }
  }

  /** Colours from the style sheet. */
  theme(): void {
    const style = getComputedStyle(document.documentElement);
    this.world.background = new Color(style.getPropertyValue('--stage').trim());
    const line = new Color(style.getPropertyValue('--stage-line').trim());
    this.world.remove(this.grid);
    this.grid.dispose();
    this.grid = this.makeGrid();
    const material = this.grid.material as LineBasicMaterial;
    material.vertexColors = false;
    material.color = line;
    material.needsUpdate = true;
    this.grid.visible = this.settings.grid;
    this.world.add(this.grid);
    this.dirty = true;
  }

  /** Everything in sight, seen from this direction. */
  lookFrom(direction: Vector3): void {
    const box = this.settings.follow === '' ? this.box : boxAt(this.runs[0], this.scene, this.time);
    const centre = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
    const radius = Math.max(0.5 * sizeOf(box), 0.3 * this.size);
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (1.05 * radius) / Math.sin((this.camera.fov * Math.PI) / 360) / narrow;
    this.camera.position.copy(centre).addScaledVector(direction.clone().normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
    this.followed = null;
    this.dirty = true;
  }

  /** The view grows with a live run. */
  includeNow(): void {
    this.box.union(boxAt(this.runs[0], this.scene, this.time));
  }

  applySettings(): void {
    const s = this.settings;
    for (const figure of this.figures) {
      for (const axes of figure.frameAxes) axes.visible = s.frames;
      for (const mark of figure.jointMarks) mark.visible = s.joints;
      figure.showBodies(s.bodies);
    }
    this.shapes.group.visible = s.shapes;
    this.arrows.group.visible = s.forces;
    this.contacts.group.visible = s.forces;
    this.orbit.group.visible = s.orbit;
    this.grid.visible = s.grid;
    this.origin.visible = s.grid;
    this.makeGhosts();
    this.makeTrail();
    this.inset.choose(s.camera);
    this.followed = null;
    this.setTime(this.time);
  }

  /** A ghost at the time shown now, besides those there are. */
  addGhostHere(): void {
    this.settings.ghosts = [...this.settings.ghosts, this.time];
    this.applySettings();
  }

  /** Times spread evenly over the run. */
  evenTimes(count: number): number[] {
    const [start, end] = this.runs[0].span();
    return Array.from({ length: count }, (_, k) => start + ((end - start) * k) / Math.max(1, count - 1));
  }

  private makeGhosts(): void {
    for (const ghost of this.ghosts) {
      this.world.remove(ghost.group);
      ghost.dispose();
    }
    this.ghosts = [];
    for (const t of this.settings.ghosts) {
      const look = { kind: 'ghost', colour: 0x8794a3, opacity: 0.22 } as const;
      const ghost = new Figure(this.runs[0], this.scene, 0.011 * this.size, look);
      ghost.update(t, this.settings.exaggeration);
      this.ghosts.push(ghost);
      this.world.add(ghost.group);
    }
  }

  private makeTrail(): void {
    if (this.trail) {
      this.world.remove(this.trail);
      this.trail.geometry.dispose();
      this.trail = null;
    }
    const track = this.settings.trail === '' ? null : PoseTrack.of(this.runs[0], this.settings.trail);
    if (!track) return;
    const times = track.times();
    const stride = Math.max(1, Math.ceil(times.length / kMostTrailPoints));
    const points: Vector3[] = [];
    for (let i = 0; i < times.length; i += stride) points.push(track.positionAt(times[i]));
    this.trail = new Line(
      new BufferGeometry().setFromPoints(points),
      new LineBasicMaterial({ color: 0xd1495b, transparent: true, opacity: 0.8 }),
    );
    this.trail.frustumCulled = false;
    this.world.add(this.trail);
  }

  setTime(t: number): void {
    this.time = t;
    for (const figure of this.figures) figure.update(t, this.settings.exaggeration);
    if (this.settings.forces) {
      this.arrows.update(t);
      this.contacts.update(t);
    }
    if (this.settings.shapes) this.shapes.update(this.figures[0]);
    this.orbit.update(t);
    this.inset.update(t);
    this.followBody();
    this.dirty = true;
  }

  private followBody(): void {
    const pose = this.figures[0].poseOf(this.settings.follow);
    if (!pose) return;
    const now = new Vector3().setFromMatrixPosition(pose);
    const move = this.followed ? now.clone().sub(this.followed) : now.clone().sub(this.controls.target);
    this.controls.target.add(move);
    this.camera.position.add(move);
    this.followed = now;
    this.controls.update();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
    this.render();
  }

  /** Pixels from the canvas' top left corner. */
  pixelOf(point: Vector3): [number, number] {
    this.camera.updateMatrixWorld();
    const p = point.clone().project(this.camera);
    return [((p.x + 1) / 2) * this.host.clientWidth, ((1 - p.y) / 2) * this.host.clientHeight];
  }

  render(): void {
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.world, this.camera);
    this.inset.draw(this.renderer, this.world);
    for (const { name, element } of this.labels) {
      element.hidden = !this.settings.labels;
      const pose = this.settings.labels ? this.figures[0].poseOf(name) : null;
      if (!pose) continue;
      const [x, y] = this.pixelOf(new Vector3().setFromMatrixPosition(pose));
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
    this.orbit.tips.forEach(({ at }, k) => {
      const element = this.orbitLabels[k];
      element.hidden = !this.settings.orbit;
      const [x, y] = this.pixelOf(at);
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
  }
}
