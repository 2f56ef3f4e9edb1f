// Takes the pictures of the documentation:   node viewer/pictures.mjs [PROGRAM]
import { join } from 'node:path';

process.env.GRAPPLE_PROGRAM ??= process.argv[2] ?? '';
if (process.env.GRAPPLE_PROGRAM === '') delete process.env.GRAPPLE_PROGRAM;
const { grapple, grappleUntil, kRoot, launch, open, scratch, until } = await import('./test/support.mjs');

const images = join(kRoot, 'docs/images');
const directory = join(scratch, 'king');
grapple('run', 'examples/king/A-two-link-swing.yaml', '--out', directory, '--quiet');
grapple('report', directory);

const browser = await launch();
for (const [theme, file] of [['light', 'report.png'], ['dark', 'report-dark.png']]) {
  const page = await open(browser, `file://${join(directory, 'report.html')}`, { colorScheme: theme });
  await page.locator('#exaggeration').fill('1.2'); // times 16
  await page.locator('select[aria-label="Ghosts"]').selectOption('5');
  await page.locator('select[aria-label="Trail"]').selectOption('frame/link2/tip');
  await page.evaluate(() => window.grapple.setTime(2.9));
  if (theme === 'dark') await page.getByRole('tab', { name: 'Energy' }).click();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(images, file) });
  await page.close();
}
// The shapes of a contact, bodies and all.
const box = join(scratch, 'battery-box');
grapple('run', 'examples/gonthier/battery-box.yaml', '--out', box, '--quiet');
grapple('report', box);
const shapes = await open(browser, `file://${join(box, 'report.html')}`, { colorScheme: 'light' });
await shapes.evaluate(() => window.grapple.setTime(0.5));
await shapes.waitForTimeout(300);
await shapes.locator('.stage').screenshot({ path: join(images, 'contact-shapes.png') });
// The page of who flies the capture, three seconds ahead.
const flight = await grappleUntil(/viewer on (http:\S+)/, 'view', 'examples/canadarm/fly.yaml', '--no-browser');
const cockpit = await open(browser, flight.match[1], { colorScheme: 'light', viewport: { width: 1600, height: 900 } });
await cockpit.locator('#speed').selectOption({ label: 'as fast as possible' });
await cockpit.locator('#step-size').fill('3');
await cockpit.locator('h1').click();
await cockpit.keyboard.down('w');
await cockpit.locator('#step').click();
await until(() => cockpit.evaluate(() => window.grapple.time() >= 3), 60);
await cockpit.waitForTimeout(300);
await cockpit.screenshot({ path: join(images, 'fly.png') });
flight.child.removeAllListeners('exit');
flight.child.kill('SIGINT');
await browser.close();
console.log(`pictures in ${images}`);
