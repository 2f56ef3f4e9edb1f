// A natural mode as a run of one period: every frame and modal coordinate swings about its place by
// Re( amplitude exp(i phase) (real + i imaginary) ).

import { Quaternion, Vector3 } from 'three';
import type { ModeData, ModesData, SceneData } from './contract';
import type { Channel, Run, Series } from './run';

const kPhases = 72;

export class ModeRun implements Run {
  readonly label: string;
  readonly title: string;
  readonly version = '';
  readonly seed = 0;
  readonly scenario = '';
  readonly scene: SceneData;
  readonly channels: Channel[] = [];
  readonly events = [];
  readonly summary = null;
  readonly status = '';
  readonly cause = '';
  readonly rows = kPhases + 1;
  readonly thinned = false;
  private readonly time = Array.from({ length: kPhases + 1 }, (_, k) => k / kPhases);
  private readonly table = new Map<string, number[]>();

  constructor(
    private readonly data: ModesData,
    mode: ModeData,
    amplitude: number,
  ) {
    this.title = this.label = data.scenario;
    this.scene = data.scene;
    this.swing(mode, amplitude);
  }

  /** From now on this mode. Series handed out before show it, too. */
  swing(mode: ModeData, amplitude: number): void {
    const bodies = new Set(this.scene.bodies.map((body) => body.name));
    this.data.frames.forEach((frame, i) => {
      const stem = `${bodies.has(frame.name) ? 'body' : 'frame'}/${frame.name}`;
      this.addFrame(stem, frame, mode.frames[i], amplitude);
    });
    this.data.coordinates.forEach((name, i) => {
      const rest = this.data.modal_coordinates[name];
      if (rest === undefined) return;
      const [re, im] = [mode.shape_real[i], mode.shape_imaginary[i]];
      this.put(name, this.phases((c, s) => rest + amplitude * (re * c - im * s)));
    });
  }

  private put(name: string, values: number[]): void {
    const known = this.table.get(name);
    if (known) known.splice(0, known.length, ...values);
    else this.table.set(name, values);
  }

  private phases(value: (cosine: number, sine: number) => number): number[] {
    return this.time.map((t) => value(Math.cos(2 * Math.PI * t), Math.sin(2 * Math.PI * t)));
  }

  private addFrame(stem: string, frame: ModesData['frames'][number], moved: ModeData['frames'][number], a: number): void {
    ['x', 'y', 'z'].forEach((axis, k) => {
      const [re, im] = [moved.position_real[k], moved.position_imaginary[k]];
      this.put(`${stem}/position_${axis}`, this.phases((c, s) => frame.position[k] + a * (re * c - im * s)));
    });
    const rest = new Quaternion(frame.orientation[1], frame.orientation[2], frame.orientation[3], frame.orientation[0]);
    const turned = this.time.map((t) => {
      const [c, s] = [Math.cos(2 * Math.PI * t), Math.sin(2 * Math.PI * t)];
      const turn = new Vector3(
        ...[0, 1, 2].map((k) => a * (moved.rotation_real[k] * c - moved.rotation_imaginary[k] * s)),
      );
      const angle = turn.length();
      const delta = angle > 0 ? new Quaternion().setFromAxisAngle(turn.normalize(), angle) : new Quaternion();
      return delta.multiply(rest);
    });
    for (const part of ['w', 'x', 'y', 'z'] as const) {
      this.put(`${stem}/orientation_${part}`, turned.map((q) => q[part]));
    }
  }

  span(): [number, number] {
    return [0, 1];
  }
  times(): ArrayLike<number> {
    return this.time;
  }
  series(name: string): Series | null {
    const values = this.table.get(name);
    return values ? { t: this.time, v: values, length: values.length } : null;
  }
  motion(name: string): Series | null {
    return this.series(name);
  }
}
