// Measures what docs/viewer.md promises, once each:   node viewer/bench.mjs [PROGRAM]
//   size of a report and time to open it: a chain of 50 joints, 60 s at 100 Hz
//   cost of watching: a live run as fast as possible with a browser, against a run without
import { statSync } from 'node:fs';
import { join } from 'node:path';

process.env.GRAPPLE_PROGRAM ??= process.argv[2] ?? '';
if (process.env.GRAPPLE_PROGRAM === '') delete process.env.GRAPPLE_PROGRAM;
const { grapple, grappleUntil, kRoot, launch, open, readJson, scenario, scratch, until } = await import('./test/support.mjs');

function chain(links) {
  const bodies = Array.from({ length: links }, (_, k) => `  - {name: link${k}, solid: {rod: {length: 0.2 m, axis: x, from: end}, mass: 0.2 kg}}`);
  const joints = Array.from({ length: links }, (_, k) => `  - {name: joint${k}, type: revolute, axis: ${k % 2 ? 'y' : 'z'}, parent: ${k ? `"link${k - 1} at [0.2, 0, 0] m"` : 'world'}, child: link${k}, angle: 5 deg, damper: 0.02 N*m*s/rad}`);
  return `grapple: 1\nname: chain\nenvironment: {gravity: 9.81 m/s^2}\nbodies:\n${bodies.join('\n')}\njoints:\n${joints.join('\n')}\nsimulate: {duration: 60 s, tolerance: 1e-4, record: {every: 10 ms}}\n`;
}

const browser = await launch();
const directory = join(scratch, 'chain');
grapple('run', scenario('chain', chain(50)), '--out', directory, '--quiet');
grapple('report', directory);
const report = join(directory, 'report.html');
const start = performance.now();
const page = await open(browser, `file://${report}`);
const seconds = (performance.now() - start) / 1000;
console.log(`report of 50 degrees of freedom, 60 s at 100 Hz: ${(statSync(report).size / 1e6).toFixed(2)} MB, opens in ${seconds.toFixed(2)} s`);
await page.close();

const king = join(kRoot, 'examples/king/A-two-link-swing.yaml');
const plain = join(scratch, 'plain');
grapple('run', king, '--out', plain, '--quiet', '--set', 'simulate.record.every=1 s');
const alone = readJson(join(plain, 'summary.json')).timing.wall_seconds;
const { child, match } = await grappleUntil(/viewer on (http:\S+)/, 'view', king, '--no-browser');
const live = await open(browser, match[1]);
await live.evaluate(() => {
  const source = new EventSource('/api/events');
  window.frames_ = 0;
  source.addEventListener('frame', () => window.frames_++);
});
await live.locator('#speed').selectOption({ label: 'as fast as possible' });
const begin = performance.now();
await live.locator('#start').click();
await until(async () => (await live.locator('#status').textContent()) === 'completed', 120);
const watched = (performance.now() - begin) / 1000;
const received = await live.evaluate(() => window.frames_);
console.log(`run alone ${alone.toFixed(2)} s, live with a browser ${watched.toFixed(2)} s, ${(received / watched).toFixed(0)} frames/s`);
child.removeAllListeners('exit');
child.kill('SIGINT');
await browser.close();
