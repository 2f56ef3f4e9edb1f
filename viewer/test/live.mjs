// A live run: two browsers watch and steer one simulation.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { differentPixels, grapple, grappleUntil, open, picture, runWithReport, scenario, sharedBrowser, until } from './support.mjs';

const kPendulum = `
grapple: 1
name: live-pendulum
parameters: {push: 0 N*m}
bodies:
  - name: rod
    solid: {rod: {length: 1 m, axis: x, from: end}, mass: 1 kg}
  - name: slider
    solid: {box: [0.1, 0.1, 0.1] m, mass: 1 kg}
joints:
  - {name: hinge, type: revolute, axis: y, parent: world, child: rod, damper: 0.2 N*m*s/rad, motor: {torque: "\${push}"}}
  - {name: rail, type: prismatic, axis: x, parent: world, child: slider}
tunable:
  - {parameter: push, from: -2 N*m, to: 2 N*m}
operator:
  - {name: stick, joint: rail, effort: 100 N, rate: 0.5 m/s, gain: 100 N*s/m, keys: [a, d], gamepad_axis: 1}
simulate: {duration: 600 s, tolerance: 1e-5}
`;

describe('live run', () => {
  let browser;
  let server;
  let page;
  let other;
  let url;

  before(async () => {
    browser = await sharedBrowser();
    const started = await grappleUntil(/viewer on (http:\S+)/, 'view', scenario('live-pendulum', kPendulum), '--no-browser');
    server = started.child;
    url = started.match[1];
    page = await open(browser, url);
    other = await open(browser, url); // pages of this browser share nothing: each has a context of its own
  });
  after(async () => {
    await page?.close();
    await other?.close();
    if (!server) return;
    server.removeAllListeners('exit');
    server.kill('SIGINT');
    await new Promise((done) => server.on('exit', done));
  });

  const time = (one) => one.evaluate(() => window.grapple.time());
  const status = (one) => one.locator('#status').textContent();
  const value = async (one, channel) =>
    Number((await one.locator(`output[data-channel="${channel}"]`).textContent()).replaceAll('−', '-'));

  it('waits for the start', async () => {
    await until(async () => (await status(page)) === 'paused');
    assert.equal(await time(page), 0);
  });

  it('starts, in both browsers', async () => {
    await page.locator('#start').click();
    for (const one of [page, other]) await until(async () => (await time(one)) > 0.3);
    assert.equal(await status(other), 'running');
  });

  it('shows both browsers the same run', async () => {
    const [one, two] = await Promise.all([time(page), time(other)]);
    // Real time; the two were asked within some hundredths of a second, on a busy machine.
    assert.ok(Math.abs(one - two) < 0.5, `${one} ${two}`);
  });

  it('shows the achieved factor of real time', async () => {
    await until(async () => /× real time/.test(await page.locator('#achieved').textContent()));
    const shown = Number((await page.locator('#achieved').textContent()).match(/[\d.]+/)[0]);
    assert.ok(shown > 0.8 && shown < 1.2, String(shown)); // locked to 1
  });

  it('changes a parameter by its slider', async () => {
    assert.equal(await value(page, 'joint/hinge/position'), 0); // no torque so far
    const before_ = await picture(page);
    await page.locator('[data-tune="push"]').fill('1000');
    await until(async () => Math.abs(await value(page, 'joint/hinge/position')) > 0.5);
    assert.ok((await differentPixels(page, before_, await picture(page))) > 100);
    await until(async () => (await other.locator('.tunable output').first().textContent()).startsWith('2 '));
  });

  it('moves a joint by its operator key and lets go with it', async () => {
    assert.equal(await value(page, 'joint/rail/position'), 0);
    await page.locator('h1').click();
    await page.keyboard.down('d');
    await until(async () => (await value(page, 'joint/rail/position')) > 0.05);
    await page.keyboard.up('d');
    // The rate command is back to zero; the drive stops the slider: time constant 10 ms.
    await until(async () => Math.abs(await value(page, 'joint/rail/rate')) < 1e-3);
    const rest = await value(page, 'joint/rail/position');
    await page.keyboard.down('a');
    await until(async () => (await value(page, 'joint/rail/position')) < rest - 0.02);
    await page.keyboard.up('a');
  });

  it('moves a joint by a gamepad', async () => {
    await page.evaluate(() => {
      navigator.getGamepads = () => [{ axes: [0, 0.5] }];
    });
    // Half a stick is half the rate.
    await until(async () => Math.abs((await value(page, 'joint/rail/rate')) - 0.25) < 1e-3);
    await page.evaluate(() => {
      navigator.getGamepads = () => [];
    });
    await until(async () => Math.abs(await value(page, 'joint/rail/rate')) < 1e-3);
  });

  it('pauses for everybody, from any browser', async () => {
    await other.locator('#start').click();
    await until(async () => (await status(page)) === 'paused');
    await until(async () => (await time(page)) === (await time(other)));
    const still = await time(page);
    await page.waitForTimeout(150);
    assert.equal(await time(page), still);
  });

  it('resets', async () => {
    await page.locator('#reset').click();
    for (const one of [page, other]) await until(async () => (await time(one)) === 0);
    await until(async () => (await value(page, 'joint/rail/position')) === 0);
  });

  it('runs as fast as it can to its end', async () => {
    await page.locator('#speed').selectOption({ label: 'as fast as possible' });
    await page.locator('#start').click();
    await until(async () => (await status(page)) === 'completed', 20);
    assert.equal(await time(other), 600);
  });

  it('leaves both consoles clean', () => assert.deepEqual([...page.problems, ...other.problems], []));
});

describe('beyond this machine', () => {
  it('lets in only who has the token of the printed address', async () => {
    const { child, match } = await grappleUntil(/viewer on http:\/\/[^:]+:(\d+)\/\?token=(\S+)/, 'view', scenario('listen', kPendulum), '--no-browser', '--listen', '0.0.0.0');
    const [, port, token] = match;
    const status = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    assert.equal(await status('/'), 403);
    assert.equal(await status('/api/events'), 403);
    assert.equal(await status(`/?token=${'0'.repeat(32)}`), 403);
    assert.equal(await status(`/?token=${token}`), 200);
    child.removeAllListeners('exit');
    child.kill('SIGINT');
    await new Promise((done) => child.on('exit', done));
  });
});

describe('replay from the server', () => {
  it('shows a directory of results', async () => {
    const browser = await sharedBrowser();
    const run = runWithReport(scenario('served', kPendulum.replace('600 s', '1 s')), 'served');
    const { child, match } = await grappleUntil(/viewer on (http:\S+)/, 'view', run.directory, '--no-browser');
    const page = await open(browser, match[1]);
    assert.equal(await page.locator('h1').textContent(), 'live-pendulum');
    assert.deepEqual(page.problems, []);
    await page.close();
    child.removeAllListeners('exit');
    child.kill('SIGINT');
    assert.equal(await new Promise((done) => child.on('exit', done)), 0);
    assert.match(grapple('view', '--help'), /--listen/);
  });
});
