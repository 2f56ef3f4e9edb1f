// The report from disk: what it shows is what was recorded.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { differentPixels, grapple, kRoot, launch, open, picture, readJson, runWithReport, scenario, scratch, sharedBrowser, until } from './support.mjs';

const kBendingArm = `
grapple: 1
name: bending-arm
environment: {gravity: 9.81 m/s^2}
bodies:
  - name: link1
    beam: {length: 1 m, mass: 0.5 kg, EI: 8 N*m^2, modes: {bending_y: 1, bending_z: 1}}
  - name: link2
    solid: {rod: {length: 0.6 m, axis: x, from: end}, mass: 0.2 kg}
    frames:
      - {name: tip, position: [0.6, 0, 0] m}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: world, child: link1, angle: 20 deg, damper: 0.3 N*m*s/rad}
  - {name: elbow, type: revolute, axis: y, parent: link1/tip, child: link2, angle: -30 deg}
events:
  - {name: passes-bottom, channel: joint/shoulder/position, crosses: 90 deg, action: record}
measures:
  - {name: lowest, channel: frame/link2/tip/position_z, kind: min}
simulate: {duration: 2 s, tolerance: 1e-7, record: {every: 10 ms}}
`;

describe('report', () => {
  let browser;
  let run;
  let page;

  before(async () => {
    browser = await sharedBrowser();
    run = runWithReport(scenario('bending-arm', kBendingArm), 'bending-arm');
    page = await open(browser, run.url);
  });
  after(() => page.close());

  const scrubTo = (t) => page.evaluate((time) => window.grapple.setTime(time), t);

  it('opens from disk with title and status', async () => {
    assert.equal(await page.locator('.excuse').count(), 0);
    assert.equal(await page.locator('h1').textContent(), 'bending-arm');
    assert.equal(await page.locator('.chip.good').textContent(), 'completed');
  });

  it('draws bodies that move', async () => {
    await scrubTo(0);
    const start = await picture(page);
    await scrubTo(1);
    // The arm covers a few thousand pixels; both of its places change.
    assert.ok((await differentPixels(page, start, await picture(page))) > 1000);
  });

  it('puts a named body where it was recorded, within a pixel, wherever one scrubs', async () => {
    const t = run.table.get('time');
    for (const row of [0, 37, 101, 200]) {
      // The slider itself, as a hand would move it.
      await page.locator('#scrub').fill(String(Math.round((t[row] / t[t.length - 1]) * 100000)));
      const time = await page.evaluate(() => window.grapple.time());
      assert.ok(Math.abs(time - t[row]) < 2e-5);
      const [x, y, z] = ['x', 'y', 'z'].map((axis) => run.table.get(`body/link2/position_${axis}`)[row]);
      const expected = await page.evaluate((p) => window.grapple.pixelOfPoint(...p), [x, y, z]);
      const drawn = await page.evaluate(() => window.grapple.pixelOfBody('link2'));
      assert.ok(Math.hypot(expected[0] - drawn[0], expected[1] - drawn[1]) < 1, `${expected} ${drawn}`);
    }
  });

  it('shows the recorded value at the cursor', async () => {
    const t = run.table.get('time');
    await scrubTo(t[50]);
    const shown = await page.locator('output[data-channel="joint/shoulder/position"]').textContent();
    const recorded = run.table.get('joint/shoulder/position')[50];
    // Six digits are shown.
    assert.ok(Math.abs(Number(shown.replaceAll('−', '-')) - recorded) <= 1e-5 * Math.abs(recorded), shown);
  });

  it('follows the mouse over a plot and jumps there on a click', async () => {
    const over = page.locator('.u-over').first();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 20);
    const t = 0.5;
    const shown = Number((await page.locator('output[data-channel="joint/shoulder/position"]').textContent()).replaceAll('−', '-'));
    const recorded = run.table.get('joint/shoulder/position')[50];
    // A pixel is 5 ms; the joint turns at most 6 rad/s.
    assert.ok(Math.abs(shown - recorded) < 0.03, `${shown} ${recorded}`);
    await page.mouse.down();
    await page.mouse.up();
    assert.ok(Math.abs((await page.evaluate(() => window.grapple.time())) - t) < 0.01);
    await page.mouse.move(5, 5);
  });

  it('bends the picture with the exaggeration slider, and what hangs on the beam goes along', async () => {
    await scrubTo(0.3);
    const plain = await picture(page);
    const before_ = await page.evaluate(() => window.grapple.pixelOfBody('link2'));
    await page.locator('#exaggeration').fill('0.7');
    assert.ok((await differentPixels(page, plain, await picture(page))) > 300);
    const after_ = await page.evaluate(() => window.grapple.pixelOfBody('link2'));
    assert.ok(Math.hypot(before_[0] - after_[0], before_[1] - after_[1]) > 3);
    await page.locator('#exaggeration').fill('0');
    assert.equal(await differentPixels(page, plain, await picture(page)), 0);
  });

  it('leaves ghosts at chosen times', async () => {
    await scrubTo(0.3);
    await page.locator('#ghost-here').click();
    await scrubTo(1.1);
    const ghostly = await picture(page);
    await page.locator('#ghosts-away').click();
    assert.ok((await differentPixels(page, ghostly, await picture(page))) > 100);
  });

  it('finds, adds and removes channels', async () => {
    await page.locator('.browser summary').click();
    await page.locator('#channel-search').fill('energy residual');
    assert.equal(await page.locator('.channel').count(), 1);
    await page.locator('.channel input').check();
    assert.equal(await page.locator('output[data-channel="energy/residual"]').count(), 1);
    await page.locator('.channel input').uncheck();
    assert.equal(await page.locator('output[data-channel="energy/residual"]').count(), 0);
    await page.locator('.browser summary').click();
  });

  it('lists measures and events that move the time', async () => {
    await page.getByRole('tab', { name: /Events/ }).click();
    const event = page.locator('.events tbody tr').first();
    assert.match(await event.textContent(), /passes-bottom/);
    await event.locator('button').click();
    const time = await page.evaluate(() => window.grapple.time());
    const turned = run.table.get('joint/shoulder/position');
    const row = turned.findIndex((angle) => angle > Math.PI / 2);
    assert.ok(time <= run.table.get('time')[row] && time >= run.table.get('time')[row - 1]);
    await page.getByRole('tab', { name: 'Summary' }).click();
    assert.match(await page.locator('.summary').textContent(), /lowest.*frame\/link2\/tip\/position_z/);
  });

  it('draws the energy accounts and the ledger', async () => {
    await page.getByRole('tab', { name: 'Energy' }).click();
    assert.match(await page.locator('.energy').textContent(), /work of damping.*relative residual/s);
    assert.equal(await page.locator('[data-testid="energy-plot"] canvas').count(), 1);
    await page.getByRole('tab', { name: 'Plots' }).click();
  });

  it('plays with the space bar and steps with the arrows', async () => {
    await scrubTo(0);
    await page.locator('h1').click();
    await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await page.evaluate(() => window.grapple.time())) - 0.01) < 1e-9);
    await page.keyboard.press('Space');
    await until(() => page.evaluate(() => window.grapple.time() > 0.03));
    await page.keyboard.press('Space');
    const stopped = await page.evaluate(() => window.grapple.time());
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.grapple.time()), stopped);
  });

  it('turns dark and light', async () => {
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await colour();
    await page.locator('#theme').click();
    assert.notEqual(await colour(), light);
    await page.locator('#theme').click();
    assert.equal(await colour(), light);
  });

  it('fits 1280 and 1920 without a scroll bar', async () => {
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('leaves the console clean', () => assert.deepEqual(page.problems, []));

  it('shows texts with HTML in them as text', async () => {
    const nasty = '</script><img src=x onerror="window.broken=1"><b>bold</b>';
    const file = scenario('nasty', `grapple: 1\nname: "${nasty.replace(/"/g, '\\"')}"\n# ${nasty}\nparameters: {note: "${nasty.replace(/"/g, '\\"')}"}\nbodies:\n  - {name: ball, solid: {sphere: 0.1 m, mass: 1 kg}}\nsimulate: {duration: 0.1 s}\n`);
    const { url } = runWithReport(file, 'nasty');
    const nastyPage = await open(browser, url);
    assert.equal(await nastyPage.locator('h1').textContent(), nasty);
    assert.equal(await nastyPage.evaluate(() => window.broken), undefined);
    assert.equal(await nastyPage.locator('h1 b').count(), 0);
    assert.deepEqual(nastyPage.problems, []);
    await nastyPage.close();
  });

  it('draws rigid bodies, every joint and forces without complaint', async () => {
    for (const name of ['rigid/all-joints', 'rigid/spring-mass']) {
      const { url } = runWithReport(join(kRoot, 'examples', `${name}.yaml`), name.replace('/', '-'));
      const other = await open(browser, url);
      assert.deepEqual(other.problems, []);
      await other.close();
    }
  });

  it('says what is missing without WebGL and still plots', async () => {
    const blind = await launch(['--disable-3d-apis']);
    const page2 = await blind.newPage();
    await page2.goto(run.url);
    await page2.waitForSelector('.excuse');
    assert.match(await page2.locator('.excuse').textContent(), /WebGL/);
    assert.ok((await page2.locator('.plot canvas').count()) > 0);
    await blind.close();
  });

  it('stays small', () => {
    assert.ok(statSync(join(run.directory, 'report.html')).size < 2e6);
    assert.match(grapple('report', run.directory), /report\.html/);
  });
});

describe('a run too long for a page', () => {
  it('keeps its extremes and its motion', async () => {
    const directory = join(scratch, 'long');
    grapple('run', join(kRoot, 'examples/first/pendulum.yaml'), '--out', directory, '--quiet', '--set', 'simulate.record.every=0.1 ms');
    grapple('report', directory);
    assert.ok(statSync(join(directory, 'report.html')).size < 8e6);
    const measure = readJson(join(directory, 'summary.json')).measures.find((one) => one.name === 'fastest-swing');
    const browser = await sharedBrowser();
    const page = await open(browser, `file://${join(directory, 'report.html')}`);
    await page.getByRole('tab', { name: 'Summary' }).click();
    assert.match(await page.locator('.summary').textContent(), /100001, thinned out/);
    await page.getByRole('row', { name: /fastest-swing/ }).locator('button').click();
    const shown = Number((await page.locator(`output[data-channel="${measure.channel}"]`).textContent()).replaceAll('−', '-'));
    assert.ok(Math.abs(shown - measure.value) < 1e-5 * measure.value, `${shown} ${measure.value}`);
    const start = await picture(page);
    await page.evaluate(() => window.grapple.setTime(1));
    assert.ok((await differentPixels(page, start, await picture(page))) > 100);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});

describe('natural modes', () => {
  it('swing, and the chosen one is shown', async () => {
    const browser = await sharedBrowser();
    const directory = join(scratch, 'modes');
    grapple('modes', scenario('bending-modes', kBendingArm), '--out', directory);
    grapple('report', directory);
    const page = await open(browser, `file://${join(directory, 'report.html')}`);
    assert.equal(await page.locator('.excuse').count(), 0);
    await page.locator('[data-mode]').last().click();
    const at = async (t) => {
      await page.evaluate((time) => window.grapple.setTime(time), t);
      return picture(page);
    };
    const [rest, turned] = [await at(0.25), await at(0)];
    assert.ok((await differentPixels(page, rest, turned)) > 200);
    await page.locator('#amplitude').fill('0');
    assert.equal(await differentPixels(page, await at(0), await at(0.25)), 0);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
