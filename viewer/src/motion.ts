// Poses and modal coordinates of a run at any time.

import { Matrix4, Quaternion, Vector3 } from 'three';
import type { PoseArray, StationData } from './contract';
import { rowBefore, valueAt, type Run, type Series } from './run';

const kAxes = ['x', 'y', 'z'];
const kParts = ['w', 'x', 'y', 'z'];

export function matrixOf(pose: PoseArray): Matrix4 {
  return new Matrix4().compose(
    new Vector3(pose[0], pose[1], pose[2]),
    new Quaternion(pose[4], pose[5], pose[6], pose[3]),
    new Vector3(1, 1, 1),
  );
}

/** Values before and after t, and how far t is between them. */
function around(series: Series, t: number): [number, number, number] {
  const i = rowBefore(series, t);
  if (i + 1 >= series.length || t <= series.t[i]) return [series.v[i], series.v[i], 0];
  return [series.v[i], series.v[i + 1], (t - series.t[i]) / (series.t[i + 1] - series.t[i])];
}

export class PoseTrack {
  private constructor(
    private readonly position: Series[],
    private readonly orientation: Series[],
  ) {}

  /** Null if the run did not record this pose. */
  static of(run: Run, stem: string): PoseTrack | null {
    const position = kAxes.map((axis) => run.motion(`${stem}/position_${axis}`));
    const orientation = kParts.map((part) => run.motion(`${stem}/orientation_${part}`));
    if ([...position, ...orientation].some((series) => series === null || series.length === 0)) {
      return null;
    }
    return new PoseTrack(position as Series[], orientation as Series[]);
  }

  at(t: number, out: Matrix4): Matrix4 {
    const [x, y, z] = this.position.map((series) => valueAt(series, t));
    const pairs = this.orientation.map((series) => around(series, t));
    // q and -q are one orientation; a recorded quaternion may change its sign between two rows.
    const sign = pairs.reduce((sum, [a, b]) => sum + a * b, 0) < 0 ? -1 : 1;
    const [w, i, j, k] = pairs.map(([a, b, share]) => a + share * (sign * b - a));
    const q = new Quaternion(i, j, k, w).normalize();
    return out.compose(new Vector3(x, y, z), q, new Vector3(1, 1, 1));
  }

  positionAt(t: number): Vector3 {
    const [x, y, z] = this.position.map((series) => valueAt(series, t));
    return new Vector3(x, y, z);
  }

  /** Times of the rows, for trails: those of the part that has most rows. */
  times(): ArrayLike<number> {
    return this.position.reduce((a, b) => (b.length > a.length ? b : a)).t;
  }
}

export class ModalTrack {
  private constructor(private readonly series: Series[]) {}

  static of(run: Run, stems: string[]): ModalTrack | null {
    const series = stems.map((stem) => run.motion(`${stem}/position`));
    if (series.some((one) => one === null || one.length === 0)) return null;
    return new ModalTrack(series as Series[]);
  }

  at(t: number): Float64Array {
    return Float64Array.from(this.series, (one) => valueAt(one, t));
  }
}

/** Modal coordinates to draw: deformation times `scale`; deployed lengths and places on rails as they are. */
export function magnified(eta: Float64Array, stems: string[], scale: number): Float64Array {
  return eta.map((value, k) => (stems[k].startsWith('joint/') ? value : scale * value));
}

/** Displacement of a point of the material. */
export function displacement(station: StationData, eta: Float64Array): Vector3 {
  const u = [0, 0, 0];
  for (let k = 0; k < eta.length; k++) {
    for (let c = 0; c < 3; c++) u[c] += station.phi[3 * k + c] * eta[k];
  }
  station.second.forEach((matrix, c) => {
    if (!matrix) return;
    let sum = 0;
    for (let k = 0; k < eta.length; k++) {
      for (let l = 0; l < eta.length; l++) sum += matrix[k * eta.length + l] * eta[k] * eta[l];
    }
    u[c] += 0.5 * sum;
  });
  return new Vector3(u[0], u[1], u[2]);
}

/** Rotation exp([psi eta]) of the section there. */
export function rotation(station: StationData, eta: Float64Array): Quaternion {
  const turn = new Vector3();
  for (let k = 0; k < eta.length; k++) {
    turn.x += station.psi[3 * k] * eta[k];
    turn.y += station.psi[3 * k + 1] * eta[k];
    turn.z += station.psi[3 * k + 2] * eta[k];
  }
  const angle = turn.length();
  if (angle === 0) return new Quaternion();
  return new Quaternion().setFromAxisAngle(turn.normalize(), angle);
}

/** Pose of an elastic frame on its body. */
export function elasticPose(station: StationData, eta: Float64Array): Matrix4 {
  const [x, y, z, w, i, j, k] = station.pose;
  const position = new Vector3(x, y, z).add(displacement(station, eta));
  const turn = rotation(station, eta).multiply(new Quaternion(i, j, k, w));
  return new Matrix4().compose(position, turn, new Vector3(1, 1, 1));
}
