// Contacts from the channels contact/NAME/*: the force on the first shape as an arrow at the point
// where it acts, and the patch of a volumetric contact as a disc across that force with the recorded
// lever, the radius of gyration of the patch, as its radius.

import { ArrowHelper, CircleGeometry, DoubleSide, Group, type Material, Mesh, MeshBasicMaterial, Vector3 } from 'three';
import { valueAt, type Run, type Series } from './run';

const kContactColour = 0xe07a1f;
const kUp = new Vector3(0, 0, 1);

interface Touch {
  force: (Series | null)[];
  point: (Series | null)[];
  lever: Series | null;
  arrow: ArrowHelper;
  patch: Mesh | null;
}

/** "contact/landing": every contact whose force and place were recorded. */
export function contactNames(run: Run): string[] {
  const names = new Set(run.channels.map((channel) => channel.name));
  return [...names]
    .filter((name) => name.startsWith('contact/') && name.endsWith('/force_x'))
    .map((name) => name.slice(0, -'/force_x'.length))
    .filter((stem) => names.has(`${stem}/point_x`));
}

export class ContactArrows {
  readonly group = new Group();
  private readonly touches: Touch[] = [];
  private largest = 0; // of all contacts, so that their arrows compare

  constructor(
    run: Run,
    private readonly length: number,
  ) {
    for (const stem of contactNames(run)) this.add(run, stem);
  }

  private add(run: Run, stem: string): void {
    const three = (what: string, read: (name: string) => Series | null) => ['x', 'y', 'z'].map((axis) => read(`${stem}/${what}_${axis}`));
    for (const one of three('force', (name) => run.series(name))) {
      for (let i = 0; one && i < one.length; i++) this.largest = Math.max(this.largest, Math.abs(one.v[i]));
    }
    const motion = (name: string) => run.motion(name);
    const arrow = new ArrowHelper(kUp, new Vector3(), this.length, kContactColour);
    // Forces push into bodies: drawn over them, or the body would hide its own load.
    for (const part of [arrow.line, arrow.cone]) {
      part.renderOrder = 2;
      (part.material as Material).depthTest = false;
    }
    const lever = run.motion(`${stem}/lever`);
    this.group.add(arrow);
    this.touches.push({ force: three('force', motion), point: three('point', motion), lever, arrow, patch: lever ? this.disc() : null });
  }

  private disc(): Mesh {
    const paint = new MeshBasicMaterial({ color: kContactColour, transparent: true, opacity: 0.45, side: DoubleSide, depthTest: false });
    const disc = new Mesh(new CircleGeometry(1, 40), paint);
    disc.renderOrder = 1;
    this.group.add(disc);
    return disc;
  }

  update(t: number): void {
    const vector = (series: (Series | null)[]) => new Vector3(...(series.map((one) => (one ? valueAt(one, t) : 0)) as [number, number, number]));
    for (const touch of this.touches) {
      const force = vector(touch.force);
      const size = force.length();
      this.largest = Math.max(this.largest, size); // a live run may still outgrow it
      const share = this.largest > 0 ? size / this.largest : 0;
      touch.arrow.visible = share > 1e-6;
      if (touch.patch) touch.patch.visible = touch.arrow.visible;
      if (!touch.arrow.visible) continue;
      // A force at rest is often a hundredth of that of the impact before it: the root keeps it in sight.
      const length = this.length * Math.sqrt(share);
      const direction = force.normalize();
      touch.arrow.position.copy(vector(touch.point));
      touch.arrow.setDirection(direction);
      touch.arrow.setLength(length, Math.min(0.25 * this.length, 0.6 * length), Math.min(0.1 * this.length, 0.25 * length));
      if (!touch.patch || !touch.lever) continue;
      touch.patch.position.copy(touch.arrow.position);
      touch.patch.quaternion.setFromUnitVectors(kUp, direction);
      touch.patch.scale.setScalar(Math.max(1e-9, valueAt(touch.lever, t)));
    }
  }
}
