// The local axes of a run in orbit at its reference point, the world's origin: an arrow to the planet, one along
// the track, one along the orbit normal, from the channels orbit/nadir_* and orbit/track_*.

import { ArrowHelper, Group, Vector3 } from 'three';
import { valueAt, type Run, type Series } from './run';

const kAxes: [string, number][] = [
  ['planet', 0x2b6cb0],
  ['velocity', 0x2f9e6e],
  ['orbit normal', 0x8794a3],
];

/** Whether the local axes were recorded. */
export function isInOrbit(run: Run): boolean {
  return run.channels.some((channel) => channel.name === 'orbit/nadir_x');
}

export class OrbitFrame {
  readonly group = new Group();
  /** Where the names of the axes belong. */
  readonly tips: { name: string; at: Vector3 }[] = [];
  private readonly arrows: ArrowHelper[] = [];
  private readonly nadir: (Series | null)[];
  private readonly track: (Series | null)[];

  constructor(
    run: Run,
    private readonly length: number,
  ) {
    const series = (stem: string) => ['x', 'y', 'z'].map((axis) => run.motion(`orbit/${stem}_${axis}`));
    this.nadir = series('nadir');
    this.track = series('track');
    if (!isInOrbit(run)) return;
    for (const [name, colour] of kAxes) {
      const arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), length, colour, 0.12 * length, 0.06 * length);
      this.arrows.push(arrow);
      this.group.add(arrow);
      this.tips.push({ name, at: new Vector3() });
    }
  }

  update(t: number): void {
    if (this.arrows.length === 0) return;
    const at = (series: (Series | null)[]) => new Vector3(...series.map((one) => (one ? valueAt(one, t) : 0)));
    const nadir = at(this.nadir).normalize();
    const track = at(this.track).normalize();
    const directions = [nadir, track, track.clone().cross(nadir)];
    directions.forEach((direction, k) => {
      this.arrows[k].setDirection(direction);
      this.tips[k].at.copy(direction).multiplyScalar(1.04 * this.length);
    });
  }
}
