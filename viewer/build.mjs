// Builds viewer/dist and notes which sources it was made from:   node build.mjs [--check]
// With --check nothing is built: ends with 1 if the noted sources are not those in the tree.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = dirname(fileURLToPath(import.meta.url));
const note = join(home, 'dist/sources.sha256');

/** One line per file the bundle depends on, by name. */
function sources() {
  const files = readdirSync(join(home, 'src')).map((name) => `src/${name}`);
  return [...files, 'build.mjs', 'package-lock.json', 'package.json', 'tsconfig.json', 'vite.config.js']
    .sort()
    .map((name) => `${createHash('sha256').update(readFileSync(join(home, name))).digest('hex')}  ${name}\n`)
    .join('');
}

if (process.argv.includes('--check')) {
  const current = sources() === readFileSync(note, 'utf8');
  console.log(current ? 'viewer/dist is made from the sources in the tree' : 'viewer/dist is older than its sources: run `make viewer` and commit it');
  process.exit(current ? 0 : 1);
}
const tool = (path, ...args) => execFileSync(process.execPath, [join(home, 'node_modules', path), ...args], { cwd: home, stdio: 'inherit' });
tool('typescript/bin/tsc', '--noEmit');
tool('vite/bin/vite.js', 'build', '--logLevel', 'warn');
writeFileSync(note, sources());
