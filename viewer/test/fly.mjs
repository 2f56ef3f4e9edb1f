// The capture flown in the browser, twice by the same script: keys change only where the run pauses, so
// both flights are the same to the bit, and so is their score; live, from the file, and repeated.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { grapple, grappleUntil, open, picture, differentPixels, readJson, scratch, sharedBrowser, until } from './support.mjs';

const kFlight = join(scratch, 'flight');
// The pin is 16 cm ahead of the snare: a short way, for a short test.
const kSettings = [
  'parameters.target_position=[16.063, -1.6134, 0] m',
  'simulate.duration=8 s',
  'simulate.integrator=semi-implicit-euler',
].flatMap((setting) => ['--set', setting]);
const kSlow = 100; // s, on a busy machine

describe('a capture flown by hand', () => {
  let server;
  let page;
  const totals = [];

  before(async () => {
    const browser = await sharedBrowser();
    const started = await grappleUntil(/viewer on (http:\S+)/, 'view', 'examples/canadarm/fly.yaml', ...kSettings, '--out', kFlight, '--no-browser');
    server = started.child;
    page = await open(browser, started.match[1]);
    await page.locator('#speed').selectOption({ label: 'as fast as possible' });
  });
  after(async () => {
    await page?.close();
    if (!server) return;
    server.removeAllListeners('exit');
    server.kill('SIGINT');
    await new Promise((done) => server.on('exit', done));
  });

  const time = () => page.evaluate(() => window.grapple.time());
  const status = () => page.locator('#status').textContent();
  /** Goes on by so many seconds with these keys down. */
  const step = async (seconds, ...keys) => {
    const start = await time();
    await page.locator('#step-size').fill(String(seconds));
    await page.locator('h1').click();
    for (const key of keys) await page.keyboard.down(key);
    await page.locator('#step').click();
    await until(async () => (await time()) > start && (await status()) !== 'running', kSlow);
    for (const key of keys) await page.keyboard.up(key);
  };
  /** A text once it no longer changes: the last frame may come after the status. */
  const settled = async (read) => {
    let last = await read();
    for (;;) {
      await new Promise((done) => setTimeout(done, 1000));
      const now = await read();
      if (now === last) return now;
      last = now;
    }
  };
  const fly = async () => {
    await page.keyboard.press('1');
    await step(4, 'w');
    await step(1);
    await step(0.2, 'Enter');
    await page.keyboard.press('3');
    await step(1.5, 's', 'l');
    await step(1.3);
    assert.equal(await status(), 'completed');
    totals.push(await settled(() => page.locator('#score').textContent()));
  };

  it('shows keys, choices, gauges, the camera and the score', async () => {
    assert.equal(await page.locator('[data-operator]').count(), 7);
    assert.equal(await page.locator('[data-choice="frame/base"]').getAttribute('aria-pressed'), 'true');
    assert.equal(await page.locator('.gauge').count(), 10);
    assert.match(await page.locator('#score').textContent(), /of 100/);
    assert.equal(await page.locator('.inset').textContent(), 'camera end-effector');
  });

  it('pauses where a step ends, with the keys it had all the while', async () => {
    const before_ = await picture(page);
    await fly();
    assert.ok((await differentPixels(page, before_, await picture(page))) > 100);
    assert.equal(await page.locator('[data-choice="frame/payload"]').getAttribute('aria-pressed'), 'true');
  });

  it('captures', async () => {
    await page.getByRole('tab', { name: 'Events' }).click();
    assert.match(await page.locator('.events').textContent(), /snare/);
    await page.getByRole('tab', { name: 'Plots' }).click();
    assert.ok(Number(totals[0].match(/^[\d.]+/)[0]) > 50, totals[0]);
  });

  it('gets the same score for the same flight', async () => {
    await page.locator('#reset').click();
    await until(async () => (await time()) === 0);
    await fly();
    assert.equal(totals[1], totals[0]);
  });

  it('leaves the same commands and the same rows', () => {
    const again = `${kFlight}-2`;
    const bytes = (directory, file) => readFileSync(join(directory, file));
    assert.ok(bytes(kFlight, 'commands.csv').equals(bytes(again, 'commands.csv')));
    assert.ok(bytes(kFlight, 'results.h5').equals(bytes(again, 'results.h5')));
    assert.deepEqual(readJson(join(kFlight, 'summary.json')).score, readJson(join(again, 'summary.json')).score);
  });

  it('is scored again from the file, and compared', () => {
    const score = readJson(join(kFlight, 'summary.json')).score;
    const file = join(scratch, 'score.json');
    const text = grapple('score', kFlight, `${kFlight}-2`, '--json', file);
    assert.match(text, /total/);
    const [one, two] = readJson(file);
    assert.equal(one.points, score.points);
    assert.equal(two.points, score.points);
    assert.match(totals[0], new RegExp(`^${score.points.toFixed(2)} of 100`));
  });

  it('is repeated with the same bits and the same score', () => {
    const again = join(scratch, 'flight-again');
    grapple('run', 'examples/canadarm/fly.yaml', ...kSettings, '--replay', kFlight, '--out', again, '--quiet');
    assert.ok(readFileSync(join(again, 'results.h5')).equals(readFileSync(join(kFlight, 'results.h5'))));
    assert.deepEqual(readJson(join(again, 'summary.json')).score, readJson(join(kFlight, 'summary.json')).score);
  });

  it('takes sticks and triggers of a gamepad', async () => {
    const shown = (name) => page.locator(`[data-operator="${name}"]`).textContent();
    await page.evaluate(() => {
      const buttons = Array.from({ length: 17 }, (_, k) => ({ value: k === 7 ? 0.8 : 0 }));
      navigator.getGamepads = () => [{ axes: [0, -0.5, 0, 0], buttons }];
    });
    await until(async () => (await shown('x')) === '0.5'); // pushed ahead, where axes count down
    assert.equal(await shown('z'), '0.8');
    assert.equal(await shown('y'), '0');
    await page.evaluate(() => {
      navigator.getGamepads = () => [];
    });
    await until(async () => (await shown('x')) === '0');
  });

  it('shows the score in the report', async () => {
    grapple('report', kFlight);
    const report = await open(await sharedBrowser(), `file://${join(kFlight, 'report.html')}`);
    await report.getByRole('tab', { name: 'Summary' }).click();
    assert.match(await report.locator('.summary').textContent(), /contact-force/);
    assert.deepEqual(report.problems, []);
    await report.close();
  });

  it('leaves a clean console', () => assert.deepEqual(page.problems, []));
});
