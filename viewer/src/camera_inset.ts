// What a camera on a frame sees, as a picture in a corner of the 3-D view. It looks along x of the
// frame, z is up.

import { Matrix4, PerspectiveCamera, Vector3, type Scene, type WebGLRenderer } from 'three';
import type { CameraData } from './contract';
import { h } from './dom';
import { PoseTrack } from './motion';
import type { Run } from './run';

// Axes of the camera (it looks along -z, y up) in those of the frame.
const kLook = new Matrix4().makeBasis(new Vector3(0, -1, 0), new Vector3(0, 0, 1), new Vector3(-1, 0, 0));
const kShare = 0.36;
const kLargeShare = 0.7;
const kAspect = 4 / 3;
const kMargin = 10;

export class CameraInset {
  private readonly camera = new PerspectiveCamera(50, kAspect, 0.02, 500);
  private readonly frame = h('div', { class: 'inset', hidden: true, title: 'click: larger, smaller' });
  private track: PoseTrack | null = null;
  private share = kShare;

  constructor(
    private readonly host: HTMLElement,
    private readonly run: Run,
    private readonly cameras: CameraData[],
    changed: () => void,
  ) {
    this.camera.matrixAutoUpdate = false;
    this.frame.addEventListener('click', () => {
      this.share = this.share === kShare ? kLargeShare : kShare;
      changed();
    });
    host.append(this.frame);
  }

  /** None of this name: no picture. */
  choose(name: string): void {
    const chosen = this.cameras.find((one) => one.name === name);
    this.track = chosen ? PoseTrack.of(this.run, chosen.channel) : null;
    this.frame.hidden = this.track === null;
    this.frame.replaceChildren(h('span', {}, chosen ? `camera ${chosen.name}` : ''));
    if (chosen) this.camera.fov = (chosen.field_of_view * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
  }

  update(t: number): void {
    if (!this.track) return;
    this.track.at(t, this.camera.matrix).multiply(kLook);
    this.camera.matrixWorldNeedsUpdate = true;
  }

  /** Over the picture that is there. */
  draw(renderer: WebGLRenderer, world: Scene): void {
    if (!this.track) return;
    const { clientWidth: width, clientHeight: height } = this.host;
    const w = Math.round(Math.min(this.share * width, this.share * height * kAspect));
    const tall = Math.round(w / kAspect);
    const left = width - w - kMargin;
    const bottom = height - tall - kMargin; // the renderer counts from below
    Object.assign(this.frame.style, { left: `${left}px`, top: `${kMargin}px`, width: `${w}px`, height: `${tall}px` });
    renderer.setScissorTest(true);
    renderer.setScissor(left, bottom, w, tall);
    renderer.setViewport(left, bottom, w, tall);
    renderer.render(world, this.camera);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, width, height);
  }
}
