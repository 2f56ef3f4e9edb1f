// The shapes that contacts speak of, drawn as what they are to the simulator: see-through, with lines
// that show through the bodies, so that a shape in the wrong place is seen. Those of no contact are
// grey. Equal shapes are instances of one geometry.

import {
  Box3,
  BufferGeometry,
  DoubleSide,
  EdgesGeometry,
  FrontSide,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  Vector3,
  WireframeGeometry,
} from 'three';
import type { ContactShapeData, GeometryData, SceneData } from './contract';
import type { Figure } from './figure';
import { matrixOf } from './motion';
import { isEndless, isOpen, outlineOf, solidOf } from './solids';

const kUsed = 0x0aa5a0;
const kUnused = 0x8b8f96;
/** Lines are one object per shape; more copies of one geometry go without. */
const kMostOutlined = 300;

interface Placed {
  data: ContactShapeData;
  pose: Matrix4;
  mesh: InstancedMesh;
  index: number;
  lines: LineSegments | null;
}

function isUsed(shape: ContactShapeData): boolean {
  return shape.contacts.length > 0;
}

/** Corners of the boxes of shapes, by body and in its frame; none of shapes without end. */
export class ShapeBoxes {
  private readonly byBody = new Map<string, Vector3[]>();

  constructor(scene: SceneData) {
    const boxes = (scene.geometries ?? []).map((data) => (isEndless(data) ? null : boxOf(data)));
    for (const shape of scene.contact_shapes ?? []) {
      const box = boxes[shape.geometry];
      if (!box) continue;
      const corners = this.byBody.get(shape.body) ?? [];
      corners.push(...cornersOf(shape, box));
      this.byBody.set(shape.body, corners);
    }
  }

  cornersOn(body: string): Vector3[] {
    return (this.byBody.get(body) ?? []).map((corner) => corner.clone());
  }
}

function boxOf(data: GeometryData): Box3 {
  const solid = solidOf(data, 1);
  solid.computeBoundingBox();
  solid.dispose();
  return solid.boundingBox!;
}

function cornersOf(shape: ContactShapeData, box: Box3): Vector3[] {
  const pose = matrixOf(shape.pose);
  if (shape.station) pose.premultiply(matrixOf(shape.station.pose));
  const ends = [box.min, box.max];
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
    new Vector3(ends[k & 1].x, ends[(k >> 1) & 1].y, ends[k >> 2].z).applyMatrix4(pose),
  );
}

export class ContactShapes {
  readonly group = new Group();
  private readonly shapes: Placed[] = [];
  private readonly nowhere = new Matrix4().makeScale(0, 0, 0);

  /** `box`: what is to be seen; shapes without end are drawn about its centre. */
  constructor(scene: SceneData, box: Box3) {
    const all = scene.contact_shapes ?? [];
    const reach = box.isEmpty() ? 1 : 0.75 * box.getSize(new Vector3()).length();
    const centre = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
    (scene.geometries ?? []).forEach((geometry, k) => {
      const solid = solidOf(geometry, reach || 1);
      const [basis, angle] = outlineOf(geometry, solid);
      for (const used of [true, false]) {
        const these = all.filter((shape) => shape.geometry === k && isUsed(shape) === used);
        if (these.length === 0) continue;
        const mesh = new InstancedMesh(solid, this.paint(used, geometry), these.length);
        mesh.frustumCulled = false; // its bounds are those of one moment
        mesh.renderOrder = 1;
        this.group.add(mesh);
        const outline = these.length > kMostOutlined ? null : geometry.kind === 'half-space' ? squares(solid) : new EdgesGeometry(basis, angle);
        these.forEach((data, index) => this.place(data, mesh, index, outline, used, isEndless(geometry) ? centre : null));
      }
    });
  }

  private paint(used: boolean, geometry: GeometryData): MeshStandardMaterial {
    const share = geometry.kind === 'half-space' ? 0.6 : 1; // it is behind everything
    return new MeshStandardMaterial({
      color: used ? kUsed : kUnused,
      transparent: true,
      opacity: share * (used ? 0.24 : 0.16),
      roughness: 0.9,
      depthWrite: false,
      side: isOpen(geometry) ? DoubleSide : FrontSide,
      // Over a solid with the same faces, not through it.
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
    });
  }

  private place(data: ContactShapeData, mesh: InstancedMesh, index: number, outline: BufferGeometry | null, used: boolean, centre: Vector3 | null): void {
    const pose = matrixOf(data.pose);
    if (centre && data.body === 'world') pose.multiply(shiftTowards(pose, centre, mesh.geometry));
    let lines: LineSegments | null = null;
    if (outline) {
      const paint = new LineBasicMaterial({ color: used ? kUsed : kUnused, transparent: true, opacity: centre ? 0.25 : 0.45, depthTest: centre !== null });
      lines = new LineSegments(outline, paint);
      lines.matrixAutoUpdate = false;
      lines.frustumCulled = false;
      lines.renderOrder = 2;
      this.group.add(lines);
    }
    this.shapes.push({ data, pose, mesh, index, lines });
  }

  /** Where the origin of a shape is drawn. */
  originOf(name: string): Vector3 | null {
    const found = this.shapes.find((shape) => shape.data.name === name);
    if (!found) return null;
    const pose = new Matrix4();
    found.mesh.getMatrixAt(found.index, pose);
    return new Vector3().setFromMatrixPosition(pose);
  }

  update(figure: Figure): void {
    for (const shape of this.shapes) {
      const seat = figure.seatOf(shape.data.body, shape.data.station ?? null);
      const at = seat ? seat.multiply(shape.pose) : this.nowhere;
      shape.mesh.setMatrixAt(shape.index, at);
      shape.mesh.instanceMatrix.needsUpdate = true;
      if (!shape.lines) continue;
      shape.lines.matrix.copy(at);
      shape.lines.matrixWorldNeedsUpdate = true;
    }
  }
}

/** The grid of a plane without its diagonals. */
function squares(plane: BufferGeometry): BufferGeometry {
  const wires = new WireframeGeometry(plane).getAttribute('position');
  const points: Vector3[] = [];
  for (let i = 0; i + 1 < wires.count; i += 2) {
    const [a, b] = [i, i + 1].map((k) => new Vector3().fromBufferAttribute(wires, k));
    if (Math.abs(a.x - b.x) < 1e-9 || Math.abs(a.y - b.y) < 1e-9) points.push(a, b);
  }
  return new BufferGeometry().setFromPoints(points);
}

/** Along the directions in which an endless shape looks the same everywhere: to where the run is. */
function shiftTowards(pose: Matrix4, centre: Vector3, solid: BufferGeometry): Matrix4 {
  const local = centre.clone().applyMatrix4(pose.clone().invert());
  const type = solid.type;
  if (type === 'PlaneGeometry') return new Matrix4().makeTranslation(local.x, local.y, 0);
  if (type === 'CylinderGeometry') return new Matrix4().makeTranslation(0, 0, local.z);
  if (type === 'BufferGeometry') return new Matrix4().makeTranslation(local.x, 0, 0); // an edge
  return new Matrix4();
}

/** "bracket: drawn with 20000 of 310000 triangles", if a mesh was thinned. */
export function drawingNotes(scene: SceneData): string[] {
  const notes = (scene.contact_shapes ?? []).flatMap((shape) => {
    const note = scene.geometries?.[shape.geometry]?.note;
    return note ? [`${shape.name}: ${note}`] : [];
  });
  return [...new Set(notes)];
}
