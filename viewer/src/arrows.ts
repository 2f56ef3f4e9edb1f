// Forces as arrows and springs as lines, from the channels force/NAME/*.

import { ArrowHelper, BufferGeometry, Group, Line, LineBasicMaterial, Vector3 } from 'three';
import type { ForceData, SceneData } from './contract';
import type { Figure } from './figure';
import { valueAt, type Run, type Series } from './run';

const kForceColour = 0xd1495b;
const kTorqueColour = 0x8e5bb5;
const kSpringColour = 0x7f8a96;

interface Load {
  data: ForceData;
  series: (Series | null)[];
  arrow: ArrowHelper;
  largest: number;
}

function largest(series: (Series | null)[]): number {
  let most = 0;
  for (const one of series) {
    for (let i = 0; one && i < one.length; i++) most = Math.max(most, Math.abs(one.v[i]));
  }
  return most;
}

export class ForceArrows {
  readonly group = new Group();
  private readonly loads: Load[] = [];
  private readonly springs: { data: ForceData; line: Line }[] = [];

  constructor(
    private readonly run: Run,
    scene: SceneData,
    private readonly figure: Figure,
    private readonly length: number,
  ) {
    for (const data of scene.forces) this.add(data);
  }

  private add(data: ForceData): void {
    if (data.places.length === 2) {
      const line = new Line(
        new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]),
        new LineBasicMaterial({ color: kSpringColour }),
      );
      line.frustumCulled = false;
      this.springs.push({ data, line });
      this.group.add(line);
      return;
    }
    const what = data.type === 'torque' ? 'torque' : 'force';
    const names = ['x', 'y', 'z'].map((a) => `force/${data.name}/${what}_${a}`);
    const series = names.map((name) => this.run.motion(name));
    const colour = what === 'torque' ? kTorqueColour : kForceColour;
    const arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), this.length, colour);
    this.loads.push({ data, series, arrow, largest: largest(names.map((name) => this.run.series(name))) });
    this.group.add(arrow);
  }

  update(t: number): void {
    const point = (place: ForceData['places'][number]) =>
      this.figure.pointOn(place.body, place.frame, new Vector3(...place.offset));
    for (const { data, line } of this.springs) {
      line.geometry.setFromPoints(data.places.map(point));
    }
    for (const load of this.loads) {
      const [x, y, z] = load.series.map((one) => (one ? valueAt(one, t) : 0));
      const vector = new Vector3(x, y, z);
      load.largest = Math.max(load.largest, vector.length()); // a live run may still outgrow it
      const share = load.largest > 0 ? vector.length() / load.largest : 0;
      load.arrow.visible = share > 1e-6;
      if (!load.arrow.visible) continue;
      const length = this.length * share;
      load.arrow.position.copy(point(load.data.places[0]));
      load.arrow.setDirection(vector.normalize());
      load.arrow.setLength(length, Math.min(0.25 * this.length, length), 0.1 * this.length);
    }
  }
}
