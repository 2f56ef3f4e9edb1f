// One run drawn at one time: a group of bodies with their solids, links, joints and bent beams.

import {
  AxesHelper,
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { BentTube } from './beam';
import type { BodyData, FrameData, SceneData, ShapeData, StationData } from './contract';
import { ModalTrack, PoseTrack, elasticPose, magnified, matrixOf } from './motion';
import type { Run } from './run';
import { isEndless, solidOf } from './solids';

const kBodyColours = [0x5b84b1, 0xc28f4b, 0x6f9f7d, 0xa77ca8, 0x4f9aa6, 0xb56b5f, 0x8a8fb8, 0x96a15a];
const kJointColour = 0x39434f;

export type Look = { kind: 'solid' } | { kind: 'ghost'; colour: number; opacity: number };

interface DrawnBody {
  data: BodyData;
  track: PoseTrack | null;
  modes: ModalTrack | null;
  tube: BentTube | null;
  group: Group;
  actual: Matrix4;
  drawn: Matrix4;
  eta: Float64Array;
  /** The same as drawn, deformation magnified. */
  shown: Float64Array;
  frames: { data: FrameData; axes: Object3D }[];
}

export class Figure {
  readonly group = new Group();
  readonly frameAxes: Object3D[] = [];
  readonly jointMarks: Object3D[] = [];
  private readonly solids: Object3D[] = [];
  private readonly bodies: DrawnBody[] = [];
  private readonly byName = new Map<string, DrawnBody>();
  private readonly colours = new Map<string, number>();

  constructor(
    readonly run: Run,
    private readonly scene: SceneData,
    /** Radius of links drawn without a section of their own. */
    private readonly radius: number,
    private readonly look: Look,
  ) {
    this.group.matrixAutoUpdate = false;
    for (const data of scene.bodies) this.addBody(data);
  }

  /** True if the run recorded the poses of all bodies and how they bend. */
  complete(): boolean {
    return this.bodies.every((body) => body.track !== null && (!body.data.flexible || body.modes !== null));
  }

  names(): string[] {
    return this.bodies.map((body) => body.data.name);
  }

  update(t: number, exaggeration: number): void {
    for (const body of this.bodies) this.place(body, t, exaggeration);
  }

  /** The drawn pose of a body's frame in the world. */
  poseOf(name: string): Matrix4 | null {
    return this.byName.get(name)?.drawn ?? null;
  }

  /** A place on a body, or on an elastic frame of it, as drawn. */
  pointOn(body: string, frame: string, offset: Vector3): Vector3 {
    const found = this.byName.get(body);
    if (!found) return offset.clone();
    const on = found.data.frames.find((one) => one.name === frame);
    if (!on?.shape) return offset.clone().applyMatrix4(found.drawn);
    const local = elasticPose(on.shape, found.shown);
    return offset.clone().applyMatrix4(local).applyMatrix4(found.drawn);
  }

  /** The drawn pose of a body, of an elastic frame of it, or of the world; null: not recorded. */
  seatOf(body: string, station: StationData | null): Matrix4 | null {
    if (body === 'world') return new Matrix4();
    const found = this.byName.get(body);
    if (!found?.track) return null;
    const pose = found.drawn.clone();
    return station ? pose.multiply(elasticPose(station, found.shown)) : pose;
  }

  /** What bodies are drawn as, without joints and frames. */
  showBodies(visible: boolean): void {
    for (const solid of this.solids) solid.visible = visible;
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh || object instanceof LineSegments) {
        (object.geometry as BufferGeometry).dispose();
        (object.material as MeshStandardMaterial).dispose();
      }
    });
  }

  private addBody(data: BodyData): void {
    const group = new Group();
    group.name = data.name;
    group.matrixAutoUpdate = false;
    const body: DrawnBody = {
      data,
      track: PoseTrack.of(this.run, `body/${data.name}`),
      modes: data.flexible ? ModalTrack.of(this.run, data.flexible.modes) : null,
      tube: null,
      group,
      actual: new Matrix4(),
      drawn: new Matrix4(),
      eta: new Float64Array(data.flexible?.modes.length ?? 0),
      shown: new Float64Array(data.flexible?.modes.length ?? 0),
      frames: [],
    };
    this.drawBody(body);
    this.drawJoint(data, group);
    this.drawFrames(body);
    this.bodies.push(body);
    this.byName.set(data.name, body);
    this.group.add(group);
  }

  private material(colour: number): MeshStandardMaterial {
    if (this.look.kind === 'ghost') {
      return new MeshStandardMaterial({
        color: this.look.colour,
        transparent: true,
        opacity: this.look.opacity,
        depthWrite: false,
        roughness: 0.9,
      });
    }
    return new MeshStandardMaterial({ color: colour, roughness: 0.62, metalness: 0.08 });
  }

  /** The pieces of one beam ("boom", "boom.1", ...) have one colour. */
  private colourOf(name: string): number {
    const whole = name.replace(/\.\d+$/, '');
    const key = this.byName.has(whole) ? whole : name;
    if (!this.colours.has(key)) this.colours.set(key, kBodyColours[this.colours.size % kBodyColours.length]);
    return this.colours.get(key)!;
  }

  private drawBody(body: DrawnBody): void {
    const data = body.data;
    const material = this.material(this.colourOf(data.name));
    const add = (geometry: BufferGeometry, pose: Matrix4) => {
      const mesh = new Mesh(geometry, material);
      mesh.applyMatrix4(pose);
      body.group.add(mesh);
      this.solids.push(mesh);
    };
    if (data.flexible && data.flexible.layout === 'axis') {
      body.tube = new BentTube(data.flexible, this.radius);
      body.tube.bend(body.shown); // straight, should the modal coordinates be missing
      add(body.tube.geometry, new Matrix4());
      return;
    }
    for (const shape of data.shapes) this.addShape(shape, body.group, material);
    if (data.shapes.length > 0 || this.addContactShapes(data.name, body.group, material)) return;
    const joint = new Vector3(...data.joint.pose.slice(0, 3));
    const ends = [...data.attachments, ...data.frames.map((frame) => frame.pose.slice(0, 3))].map(
      (point) => new Vector3(point[0], point[1], point[2]),
    );
    const links = ends.filter((end) => end.distanceTo(joint) > 1e-9);
    const floats = data.joint.type === 'free';
    if (data.inertia_box && (floats || links.length === 0)) {
      this.addShape(atLeast(data.inertia_box, 2.5 * this.radius), body.group, material);
    }
    for (const end of links) add(link(joint, end, this.radius), new Matrix4());
  }

  private addShape(shape: ShapeData, group: Group, material: MeshStandardMaterial): void {
    const geometry = geometryOf(shape);
    const mesh = new Mesh(geometry, material);
    mesh.applyMatrix4(matrixOf(shape.pose));
    group.add(mesh);
    this.solids.push(mesh);
    if (shape.kind !== 'box' || this.look.kind === 'ghost') return;
    const edges = new LineSegments(
      new EdgesGeometry(geometry),
      new LineBasicMaterial({ color: 0x222b35, transparent: true, opacity: 0.35 }),
    );
    edges.applyMatrix4(matrixOf(shape.pose));
    group.add(edges);
    this.solids.push(edges);
  }

  /** A body without a solid looks like what it touches with; false if that has no end, or there is none. */
  private addContactShapes(name: string, group: Group, material: MeshStandardMaterial): boolean {
    const geometries = this.scene.geometries ?? [];
    const own = (this.scene.contact_shapes ?? []).filter((shape) => shape.body === name && !shape.station && !isEndless(geometries[shape.geometry]));
    for (const shape of own) {
      const mesh = new Mesh(solidOf(geometries[shape.geometry], 1), material);
      mesh.applyMatrix4(matrixOf(shape.pose));
      group.add(mesh);
      this.solids.push(mesh);
    }
    return own.length > 0;
  }

  private drawJoint(data: BodyData, group: Group): void {
    const geometry = jointGeometry(data.joint.type, this.radius);
    if (!geometry) return;
    const mark = new Mesh(geometry, this.material(kJointColour));
    mark.applyMatrix4(matrixOf(data.joint.pose));
    group.add(mark);
    this.jointMarks.push(mark);
  }

  private drawFrames(body: DrawnBody): void {
    if (this.look.kind === 'ghost') return;
    for (const data of body.data.frames) {
      const axes = new AxesHelper(6 * this.radius);
      axes.matrixAutoUpdate = false;
      axes.matrix.copy(matrixOf(data.pose));
      body.group.add(axes);
      body.frames.push({ data, axes });
      this.frameAxes.push(axes);
    }
  }

  private place(body: DrawnBody, t: number, exaggeration: number): void {
    if (!body.track) {
      body.group.visible = false;
      return;
    }
    body.track.at(t, body.actual);
    if (body.modes) {
      body.eta = body.modes.at(t);
      body.shown = magnified(body.eta, body.data.flexible?.modes ?? [], exaggeration);
    }
    body.drawn.copy(body.actual);
    const parent = this.byName.get(body.data.parent);
    if (parent && exaggeration !== 1) this.follow(parent, body);
    body.group.matrix.copy(body.drawn);
    body.group.matrixWorldNeedsUpdate = true;
    if (!body.data.flexible || !body.modes) return;
    body.tube?.bend(body.shown);
    for (const { data, axes } of body.frames) {
      if (data.shape) axes.matrix.copy(elasticPose(data.shape, body.shown));
      axes.matrixWorldNeedsUpdate = true;
    }
  }

  /** What hangs on an exaggerated beam goes along: same pose relative to the frame it hangs on. */
  private follow(parent: DrawnBody, body: DrawnBody): void {
    const relative = parent.actual.clone().invert().multiply(body.actual);
    const seat = parent.data.frames.find((frame) => frame.name === body.data.seat)?.shape;
    if (seat) {
      const seatActual = elasticPose(seat, parent.eta);
      relative.premultiply(seatActual.invert());
      relative.premultiply(elasticPose(seat, parent.shown));
    }
    body.drawn.copy(parent.drawn).multiply(relative);
  }
}

function geometryOf(shape: ShapeData): BufferGeometry {
  if (shape.kind === 'box') return new BoxGeometry(...(shape.size ?? [1, 1, 1]));
  if (shape.kind === 'sphere') return new SphereGeometry(shape.radius, 32, 20);
  return new CylinderGeometry(shape.radius, shape.radius, shape.length, 28).rotateX(Math.PI / 2);
}

/** The box of a point mass or rod, thick enough to see. */
function atLeast(box: ShapeData, edge: number): ShapeData {
  const [a, b, c] = (box.size ?? [0, 0, 0]).map((size) => Math.max(size, edge));
  return { ...box, size: [a, b, c] };
}

function link(from: Vector3, to: Vector3, radius: number): BufferGeometry {
  const along = to.clone().sub(from);
  const geometry = new CylinderGeometry(radius, radius, along.length(), 18);
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.clone().normalize());
  const middle = from.clone().addScaledVector(along, 0.5);
  return geometry.applyMatrix4(new Matrix4().compose(middle, turn, new Vector3(1, 1, 1)));
}

function jointGeometry(type: string, radius: number): BufferGeometry | null {
  const r = 1.35 * radius;
  switch (type) {
    case 'revolute':
    case 'helical':
    case 'cylindrical':
      return new CylinderGeometry(r, r, 4.2 * radius, 24).rotateX(Math.PI / 2);
    case 'prismatic':
      return new BoxGeometry(2.2 * r, 2.2 * r, 4.2 * radius);
    case 'universal':
    case 'spherical':
      return new SphereGeometry(1.25 * r, 24, 16);
    case 'planar':
      return new BoxGeometry(5 * r, 5 * r, 0.6 * radius);
    default:
      return null;
  }
}
