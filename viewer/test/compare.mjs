// Two runs in one page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { grapple, kRoot, open, readTable, scratch, sharedBrowser, until } from './support.mjs';

describe('comparison', () => {
  it('overlays runs, shows their difference and their measures side by side', async () => {
    const file = join(kRoot, 'examples/first/pendulum.yaml');
    const directories = ['light', 'heavy'].map((name) => join(scratch, name));
    grapple('run', file, '--out', directories[0], '--quiet', '--csv');
    grapple('run', file, '--out', directories[1], '--quiet', '--csv', '--set', 'joints.hinge.angle=40 deg');
    const out = join(scratch, 'compare.html');
    grapple('compare', ...directories, '--out', out);
    const browser = await sharedBrowser();
    const page = await open(browser, `file://${out}`);
    assert.deepEqual(await page.locator('.legend-name').allTextContents(), [
      // What is measured, then the joint.
      'frame/rod/tip/position_z · light', 'frame/rod/tip/position_z · heavy', 'joint/hinge/rate · light', 'joint/hinge/rate · heavy',
      'joint/hinge/position · light', 'joint/hinge/position · heavy',
    ]);
    await page.locator('#as-difference').check();
    await page.evaluate(() => window.grapple.setTime(1));
    const [one, two] = directories.map((d) => readTable(join(d, 'channels.csv')).get('joint/hinge/position')[100]);
    const shown = (await page.locator('output[data-channel="joint/hinge/position"]').textContent()).replaceAll('−', '-');
    assert.ok(Math.abs(Number(shown) - (two - one)) < 1e-5, `${shown} ${two - one}`); // six digits, float32
    await page.getByRole('tab', { name: 'Differences' }).click();
    assert.ok((await page.locator('.differences tbody tr').count()) > 3);
    await page.getByRole('tab', { name: 'Summary' }).click();
    assert.match(await page.locator('.summary table').first().textContent(), /heavy − light.*lowest-tip/s);
    await until(async () => page.problems.length === 0);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
});
