// What every browser test needs: the built program, a browser, runs to look at, numbers to compare.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const kRoot = fileURLToPath(new URL('../..', import.meta.url));
export const kProgram = process.env.GRAPPLE_PROGRAM ?? join(kRoot, 'build/release/src/app/grapple');
const kChromium = process.env.GRAPPLE_CHROMIUM ?? '/usr/bin/chromium';

export const scratch = mkdtempSync(join(tmpdir(), 'grapple-viewer-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Software rendering: the same pictures on every machine. Root (as in containers) has no sandbox. */
export function launch(extra = []) {
  const arguments_ = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', ...extra];
  if (process.getuid?.() === 0) arguments_.push('--no-sandbox');
  return chromium.launch({ executablePath: kChromium, args: arguments_ });
}

let browser;
/** One browser for all tests that need nothing special; browser.test.mjs closes it. */
export function sharedBrowser() {
  browser ??= launch();
  return browser;
}

export function grapple(...arguments_) {
  const result = spawnSync(kProgram, arguments_, { encoding: 'utf8', cwd: kRoot });
  if (result.status !== 0) throw new Error(`grapple ${arguments_.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** The program left running; resolves when its output matches. */
export function grappleUntil(pattern, ...arguments_) {
  const child = spawn(kProgram, arguments_, { cwd: kRoot });
  let text = '';
  return new Promise((resolve, reject) => {
    const fail = setTimeout(() => reject(new Error(`no ${pattern} in: ${text}`)), 10000);
    const read = (chunk) => {
      text += chunk;
      const match = text.match(pattern);
      if (!match) return;
      clearTimeout(fail);
      resolve({ child, match });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}

export function scenario(name, text) {
  const file = join(scratch, `${name}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** Runs a scenario and writes its report; the table of its channels comes along. */
export function runWithReport(file, name) {
  const directory = join(scratch, name);
  grapple('run', file, '--out', directory, '--csv', '--quiet');
  grapple('report', directory);
  return { directory, url: `file://${join(directory, 'report.html')}`, table: readTable(join(directory, 'channels.csv')) };
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** CSV of a run as column name -> numbers. */
export function readTable(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  return new Map(head.split(',').map((title, i) => [title.replace(/ \[.*/, ''), rows.map((row) => row[i])]));
}

/** Asks until the answer is yes. (Playwright's own waiting is eval in the page, which the page forbids.) */
export async function until(question, seconds = 10) {
  const end = Date.now() + 1000 * seconds;
  while (!(await question())) {
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${question}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** A page that remembers what went wrong on its console. */
export async function open(browser, url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.problems = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') page.problems.push(message.text());
  });
  page.on('pageerror', (error) => page.problems.push(error.message));
  await page.goto(url);
  await until(() => page.evaluate(() => window.grapple !== undefined));
  return page;
}

/** The picture of the 3-D view as bytes of its PNG. */
export async function picture(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.locator('.canvas canvas').screenshot();
}

/** How many pixels differ between two pictures of one size. */
export function differentPixels(page, one, other) {
  return page.evaluate(async ([a, b]) => {
    const pixels = async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
    };
    const [p, q] = [await pixels(a), await pixels(b)];
    let count = 0;
    for (let i = 0; i < p.length; i += 4) {
      if (Math.abs(p[i] - q[i]) + Math.abs(p[i + 1] - q[i + 1]) + Math.abs(p[i + 2] - q[i + 2]) > 24) count++;
    }
    return count;
  }, [one.toString('base64'), other.toString('base64')]);
}
