// Geometry of the shapes for contacts, each in its own frame as src/geometry/shape.h defines it. What
// has no end (half-space, bar, bore, spike, funnel, edge) is drawn as far as `reach`.

import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  PlaneGeometry,
  SphereGeometry,
  TorusGeometry,
} from 'three';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import type { GeometryData } from './contract';

const kEndless = ['half-space', 'bar', 'bore', 'spike', 'funnel', 'edge'];
/** Round solids have no edges of their own: their lines are those of a coarser solid. */
const kRound = ['sphere', 'ellipsoid', 'torus', 'capsule'];

export function isEndless(data: GeometryData): boolean {
  return kEndless.includes(data.kind);
}

/** Seen from inside as well: holes, and what ends at the edge of the picture. A wall that stands
 * between the eye and what it holds is not: a half-space is seen from its outside only. */
export function isOpen(data: GeometryData): boolean {
  return (isEndless(data) && data.kind !== 'half-space') || data.kind === 'mesh';
}

function box(data: GeometryData, segments: number): BufferGeometry {
  const [x, y, z] = data.size!;
  const radius = data.corner_radius ?? 0;
  return radius > 0 ? new RoundedBoxGeometry(x, y, z, segments, radius) : new BoxGeometry(x, y, z);
}

/** Apex at the origin, the wide end at z = length (below zero: behind). */
function tip(halfAngle: number, length: number): BufferGeometry {
  const size = Math.abs(length);
  const cone = new ConeGeometry(size * Math.tan(halfAngle), size, 40, 1, true).rotateX(Math.PI / 2);
  return (length < 0 ? cone : cone.rotateX(Math.PI)).translate(0, 0, 0.5 * length);
}

/** Two half-planes that meet along x, z pointing out of the solid between them. */
function edge(halfAngle: number, reach: number): BufferGeometry {
  const [s, c] = [reach * Math.sin(halfAngle), reach * Math.cos(halfAngle)];
  const corners = [];
  for (const side of [1, -1]) {
    corners.push(-reach, 0, 0, reach, 0, 0, reach, side * s, -c, -reach, 0, 0, reach, side * s, -c, -reach, side * s, -c);
  }
  return faces(corners);
}

function faces(corners: number[], triangles?: number[]): BufferGeometry {
  let geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
  if (triangles) geometry = geometry.setIndex(triangles).toNonIndexed(); // flat faces
  geometry.computeVertexNormals();
  return geometry;
}

/** `detail` 1: as drawn; below: coarser, for lines. */
function round(data: GeometryData, detail: number): BufferGeometry {
  const [wide, high] = [Math.round(40 * detail), Math.round(24 * detail)];
  if (data.kind === 'torus') return new TorusGeometry(data.radius, data.tube, high, wide);
  if (data.kind === 'capsule') return new CapsuleGeometry(data.radius, data.length, Math.max(2, Math.round(10 * detail)), wide, 1).rotateX(Math.PI / 2);
  const ball = new SphereGeometry(data.radius ?? 1, wide, high);
  return data.kind === 'ellipsoid' ? ball.scale(...data.half_axes!) : ball;
}

export function solidOf(data: GeometryData, reach: number): BufferGeometry {
  const cylinder = (length: number, open: boolean) => new CylinderGeometry(data.radius, data.radius, length, 48, 1, open).rotateX(Math.PI / 2);
  switch (data.kind) {
    case 'box':
      return box(data, 3);
    case 'cylinder':
      return cylinder(data.length!, false);
    case 'bar':
    case 'bore':
      return cylinder(2 * reach, true);
    case 'cone':
      return new ConeGeometry(data.radius, data.length, 48).rotateX(Math.PI / 2).translate(0, 0, 0.5 * data.length!);
    case 'spike':
      return tip(data.half_angle!, -0.3 * reach);
    case 'funnel':
      return tip(data.half_angle!, 0.3 * reach);
    case 'half-space':
      return new PlaneGeometry(2 * reach, 2 * reach, 16, 16);
    case 'edge':
      return edge(data.half_angle!, reach);
    case 'polyhedron':
    case 'mesh':
      return faces(data.corners!, data.triangles!);
    default:
      return round(data, 1);
  }
}

/** What the lines of a shape follow, and from which angle between two faces on there is one. */
export function outlineOf(data: GeometryData, solid: BufferGeometry): [BufferGeometry, number] {
  if (kRound.includes(data.kind)) return [round(data, 0.4), 1];
  return data.kind === 'box' ? [box(data, 1), 20] : [solid, 20];
}
