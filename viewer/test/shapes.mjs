// Shapes for contacts in the 3-D view, and what is plotted first.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { differentPixels, open, picture, readJson, runWithReport, scenario, sharedBrowser } from './support.mjs';

// Every kind of shape, on bodies that hang in mid-air without any solid to hide them, and one of the world.
const kAllKinds = `
grapple: 1
name: all-kinds
environment: {gravity: 9.81 m/s^2}
bodies:
  - name: tray
    mass: 1 kg
    inertia: [0.1, 0.1, 0.1] kg*m^2
    shapes:
      - {name: sphere, position: [0, 0, 0.3] m, sphere: 0.1 m}
      - {name: box, position: [0.4, 0, 0.3] m, box: [0.2, 0.1, 0.1] m}
      - {name: rounded, position: [0.8, 0, 0.3] m, box: [0.2, 0.1, 0.1] m, corner_radius: 2 cm}
      - {name: capsule, position: [1.2, 0, 0.3] m, capsule: {radius: 5 cm, length: 0.1 m, axis: x}}
      - {name: cylinder, position: [0, 0.4, 0.3] m, cylinder: {radius: 5 cm, length: 0.2 m, axis: y}}
      - {name: cone, position: [0.4, 0.4, 0.3] m, cone: {radius: 8 cm, length: 0.2 m}}
      - {name: torus, position: [0.8, 0.4, 0.3] m, torus: {radius: 0.1 m, tube: 2 cm}}
      - {name: ellipsoid, position: [1.2, 0.4, 0.3] m, ellipsoid: [0.15, 0.1, 0.05] m}
      - {name: spike, position: [0, 0.8, 0.3] m, spike: {angle: 40 deg}}
      - {name: funnel, position: [0.4, 0.8, 0.3] m, funnel: {angle: 60 deg}}
      - {name: bore, position: [0.8, 0.8, 0.3] m, bore: {radius: 5 cm}}
      - {name: bar, position: [1.2, 0.8, 0.3] m, bar: {radius: 3 cm, axis: x}}
      - {name: edge, position: [0, 1.2, 0.3] m, edge: {first: z, second: y}}
      - {name: polyhedron, position: [0.4, 1.2, 0.3] m, polyhedron: {corners: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]}}
      - {name: cells, position: [0.8, 1.2, 0.3] m, cells: [{box: [0.2, 0.05, 0.05] m}, {box: [0.05, 0.05, 0.2] m, position: [0.1, 0, 0.1] m}]}
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [-0.5, 0, 0.3] m, shapes: [{name: skin, sphere: 0.1 m}]}
joints: [{name: rail, type: prismatic, axis: x, parent: world, child: tray, motion: {rate: 0.5 m/s}}]
shapes: [{name: floor, half_space: z}]
contacts: [{name: landing, between: [ball/skin, floor], stiffness: 1e6, restitution: 0.5, friction: none}]
simulate: {duration: 0.4 s, record: {every: 10 ms}}
`;

describe('contact shapes', () => {
  let page;
  before(async () => {
    const run = runWithReport(scenario('all-kinds', kAllKinds), 'all-kinds');
    page = await open(await sharedBrowser(), run.url);
  });
  after(() => page.close());

  const toggle = (name) => page.locator('label.check', { hasText: name }).locator('input');

  it('are drawn, and can be taken away', async () => {
    await toggle('Bodies').uncheck();
    const shown = await picture(page);
    await toggle('Contact shapes').uncheck();
    const hidden = await picture(page);
    // Sixteen shapes and a floor over most of the lower half.
    assert.ok((await differentPixels(page, shown, hidden)) > 50000);
    await toggle('Contact shapes').check();
    await toggle('Bodies').check();
    assert.deepEqual(page.problems, []);
  });

  it('sit where the scenario puts them and move with their body', async () => {
    const places = { sphere: [0, 0], capsule: [1.2, 0], torus: [0.8, 0.4], funnel: [0.4, 0.8], polyhedron: [0.4, 1.2] };
    for (const t of [0, 0.2, 0.4]) {
      for (const [name, [x, y]] of Object.entries(places)) {
        const [drawn, meant] = await page.evaluate(([shape, time, p]) => {
          window.grapple.setTime(time);
          return [window.grapple.pixelOfShape(`tray/${shape}`), window.grapple.pixelOfPoint(p[0] + 0.5 * time, p[1], 0.3)];
        }, [name, t, [x, y]]);
        // Poses are stored in single precision.
        assert.ok(Math.hypot(drawn[0] - meant[0], drawn[1] - meant[1]) < 0.1, `${name} ${drawn} ${meant}`);
      }
    }
  });
});

describe('the first plots', () => {
  const plotted = async (text, name) => {
    const run = runWithReport(scenario(name, text), name);
    const page = await open(await sharedBrowser(), run.url);
    const names = await page.locator('output[data-channel]').evaluateAll((all) => all.map((one) => one.dataset.channel));
    await page.close();
    return { names, run };
  };
  const kPair = (measures) => `
grapple: 1
name: pair
environment: {gravity: 9.81 m/s^2}
bodies:
  - {name: still, solid: {sphere: 0.1 m, mass: 1 kg}}
  - {name: swinging, solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}}
  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}, position: [0, 2, 0.05] m, shapes: [{name: skin, sphere: 0.1 m}]}
joints:
  - {name: a-still, type: revolute, axis: z, parent: world, child: still}
  - {name: hinge, type: revolute, axis: y, parent: world, child: swinging}
shapes: [{name: floor, half_space: z, on: "world at [0, 0, -0.06] m"}]
contacts: [{name: landing, between: [ball/skin, floor], stiffness: 1e4, restitution: 0.5, friction: none}]
${measures}
simulate: {duration: 0.5 s, record: {every: 5 ms}}
`;

  it('are the measures of the scenario', async () => {
    const { names } = await plotted(kPair('measures: [{name: fall, channel: body/ball/velocity_z, kind: min}]'), 'measured');
    assert.equal(names[0], 'body/ball/velocity_z');
    assert.ok(names.includes('contact/landing/normal_force'), names.join());
  });

  it('are contact forces and moving joints, and nothing that stays', async () => {
    const { names, run } = await plotted(kPair(''), 'unmeasured');
    assert.equal(names[0], 'contact/landing/normal_force');
    assert.ok(names.includes('joint/hinge/position'), names.join());
    assert.ok(!names.includes('joint/a-still/position'));
    for (const name of names) {
      const values = run.table.get(name);
      assert.ok(Math.max(...values) - Math.min(...values) > 1e-6, name);
    }
    assert.ok(readJson(`${run.directory}/summary.json`).status === 'completed');
  });
});
