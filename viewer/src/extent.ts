// How large what is drawn is, and where: for the camera and the thickness of links.

import { Box3, Matrix4, Vector3 } from 'three';
import { ShapeBoxes } from './contact_shapes';
import type { SceneData } from './contract';
import { PoseTrack } from './motion';
import type { Run } from './run';

const kLargeSurroundings = 3;

function pointsOf(scene: SceneData, index: number, shapes: ShapeBoxes): Vector3[] {
  const body = scene.bodies[index];
  const points = [new Vector3(...body.com), new Vector3(...body.joint.pose.slice(0, 3))];
  for (const point of body.attachments) points.push(new Vector3(...point));
  for (const frame of body.frames) points.push(new Vector3(...frame.pose.slice(0, 3)));
  for (const station of body.flexible?.stations ?? []) {
    points.push(new Vector3(...station.pose.slice(0, 3)));
  }
  for (const shape of body.shapes) {
    const reach = shape.size ?? [shape.radius ?? 0, shape.radius ?? 0, shape.length ?? shape.radius ?? 0];
    const centre = new Vector3(...shape.pose.slice(0, 3));
    points.push(centre.clone().addScaledVector(new Vector3(...reach), 0.5));
    points.push(centre.clone().addScaledVector(new Vector3(...reach), -0.5));
  }
  points.push(...shapes.cornersOn(body.name));
  return points;
}

/** Box around all bodies at one time. */
export function boxAt(run: Run, scene: SceneData, t: number, shapes = new ShapeBoxes(scene)): Box3 {
  const box = new Box3();
  const pose = new Matrix4();
  scene.bodies.forEach((body, i) => {
    const track = PoseTrack.of(run, `body/${body.name}`);
    if (!track) return;
    track.at(t, pose);
    for (const point of pointsOf(scene, i, shapes)) box.expandByPoint(point.applyMatrix4(pose));
  });
  return box;
}

/** Box around everything the run passes through, from samples. */
export function boxOver(run: Run, scene: SceneData, samples: number): Box3 {
  const [start, end] = run.span();
  const box = new Box3();
  const shapes = new ShapeBoxes(scene);
  for (let k = 0; k <= samples; k++) {
    box.union(boxAt(run, scene, start + ((end - start) * k) / samples, shapes));
  }
  // What stands in the world is seen whole unless it is much larger than what moves.
  const standing = new Box3().setFromPoints(shapes.cornersOn('world'));
  if (!standing.isEmpty() && sizeOf(standing) < kLargeSurroundings * sizeOf(box)) box.union(standing);
  return box;
}

/** A length typical of the drawn thing. */
export function sizeOf(box: Box3): number {
  const size = box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
  return size > 0 ? size : 1;
}
