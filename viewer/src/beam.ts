// A flexible body as a bent tube: one ring of vertices per station, moved with the section there.

import { BufferAttribute, BufferGeometry, Quaternion, Vector3 } from 'three';
import type { FlexibleData } from './contract';
import { displacement, rotation } from './motion';

const kSides = 14;

export class BentTube {
  readonly geometry = new BufferGeometry();
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly halfWidths: [number, number];

  constructor(
    private readonly flexible: FlexibleData,
    defaultRadius: number,
  ) {
    const [wy, wz] = flexible.section;
    // A real section may be too thin to see.
    const least = 0.45 * defaultRadius;
    this.halfWidths =
      wy > 0 && wz > 0
        ? [Math.max(least, wy / 2), Math.max(least, wz / 2)]
        : [defaultRadius, defaultRadius];
    const rings = flexible.stations.length;
    this.position = new BufferAttribute(new Float32Array(rings * kSides * 3), 3);
    this.normal = new BufferAttribute(new Float32Array(rings * kSides * 3), 3);
    this.geometry.setAttribute('position', this.position);
    this.geometry.setAttribute('normal', this.normal);
    this.geometry.setIndex(ringIndices(rings));
  }

  bend(eta: Float64Array): void {
    this.flexible.stations.forEach((station, s) => this.placeRing(s, station, eta));
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.geometry.computeBoundingSphere();
  }

  private placeRing(
    s: number,
    station: FlexibleData['stations'][number],
    eta: Float64Array,
  ): void {
    const centre = new Vector3(station.pose[0], station.pose[1], station.pose[2]).add(
      displacement(station, eta),
    );
    const turn: Quaternion = rotation(station, eta);
    for (let k = 0; k < kSides; k++) {
      const angle = (2 * Math.PI * k) / kSides;
      const [c, d] = [Math.cos(angle), Math.sin(angle)];
      const [a, b] = this.halfWidths;
      const arm = new Vector3(0, a * c, b * d).applyQuaternion(turn);
      const out = new Vector3(0, c / a, d / b).applyQuaternion(turn).normalize();
      const at = s * kSides + k;
      this.position.setXYZ(at, centre.x + arm.x, centre.y + arm.y, centre.z + arm.z);
      this.normal.setXYZ(at, out.x, out.y, out.z);
    }
  }
}

function ringIndices(rings: number): number[] {
  const indices: number[] = [];
  for (let s = 0; s + 1 < rings; s++) {
    for (let k = 0; k < kSides; k++) {
      const a = s * kSides + k;
      const b = s * kSides + ((k + 1) % kSides);
      indices.push(a, b, a + kSides, b, b + kSides, a + kSides);
    }
  }
  for (let k = 1; k + 1 < kSides; k++) {
    indices.push(0, k + 1, k); // root cap
    const tip = (rings - 1) * kSides;
    indices.push(tip, tip + k, tip + k + 1);
  }
  return indices;
}
