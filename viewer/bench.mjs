// Measures what docs/viewer.md promises, once each:   node viewer/bench.mjs [PROGRAM]
//   size of a report and time to open it: a chain of 50 joints, 60 s at 100 Hz
//   cost of watching: a live run as fast as possible with a browser, against a run without
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

process.env.GRAPPLE_PROGRAM ??= process.argv[2] ?? '';
if (process.env.GRAPPLE_PROGRAM === '') delete process.env.GRAPPLE_PROGRAM;
const { grapple, grappleUntil, kRoot, launch, open, readJson, scenario, scratch } = await import('./test/support.mjs');

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

/** Events of a live run until `last` says it was the last; how many frames came. */
async function watch(url, last) {
  const response = await fetch(`${url}api/events`);
  let frames = 0;
  let rest = '';
  for await (const chunk of response.body) {
    rest += Buffer.from(chunk).toString();
    const events = rest.split('\n\n');
    rest = events.pop();
    for (const event of events) {
      if (event.startsWith('event: frame')) frames++;
      if (event.startsWith('event: state') && last(JSON.parse(event.split('data: ')[1]))) {
        return frames; // which ends the request
      }
    }
  }
  return frames;
}

const command = (url, body) =>
  fetch(`${url}api/command`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

/** Processor time of a process so far, in seconds: what the run costs however busy the machine is. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100; // user and system, in hundredths
}

/** A live run as fast as possible for watchers of a kind: wall time, processor time, frames a second. */
async function liveTime(file, watchers) {
  const { child, match } = await grappleUntil(/viewer on (http:\S+)/, 'view', file, '--no-browser');
  const url = match[1];
  await command(url, { command: 'speed', value: null });
  const page_ = watchers === 'browser' ? await open(browser, url) : null;
  const used = processorTime(child.pid);
  const begin = performance.now();
  await command(url, { command: 'start' });
  let frames = 0;
  if (watchers === 'nobody') {
    let ended = false;
    while (!ended) {
      await new Promise((done) => setTimeout(done, 50));
      await watch(url, (state) => ((ended = state.status === 'completed'), true));
    }
  } else {
    frames = await watch(url, (state) => state.status === 'completed');
  }
  const wall = (performance.now() - begin) / 1000;
  const cost = processorTime(child.pid) - used;
  await page_?.close();
  child.removeAllListeners('exit');
  child.kill('SIGINT');
  await new Promise((done) => child.on('exit', done));
  return { wall, cost, rate: frames / wall };
}

const king = join(kRoot, 'examples/king/A-two-link-swing.yaml');
for (const watchers of ['nobody', 'a stream', 'browser']) {
  const { wall, cost, rate } = await liveTime(king, watchers);
  console.log(`live run watched by ${watchers}: ${wall.toFixed(2)} s, processor ${cost.toFixed(2)} s${rate ? `, ${rate.toFixed(0)} frames/s` : ''}`);
}
const plain = join(scratch, 'plain');
grapple('run', king, '--out', plain, '--quiet', '--set', 'simulate.record.every=1 s');
console.log(`grapple run alone: ${readJson(join(plain, 'summary.json')).timing.wall_seconds.toFixed(2)} s`);
await browser.close();
