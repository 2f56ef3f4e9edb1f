// Contact forces and patches in the 3-D view.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { differentPixels, kRoot, open, picture, runWithReport, sharedBrowser } from './support.mjs';

describe('contact', () => {
  let run;
  let page;

  before(async () => {
    run = runWithReport(join(kRoot, 'examples/contact/box-drop.yaml'), 'box-drop');
    page = await open(await sharedBrowser(), run.url);
  });
  after(() => page.close());

  // How many pixels the forces cover at a time.
  const drawn = async (t) => {
    await page.evaluate((time) => window.grapple.setTime(time), t);
    const toggle = page.locator('label.check', { hasText: 'Forces' }).locator('input');
    await toggle.check();
    const shown = await picture(page);
    await toggle.uncheck();
    const pixels = await differentPixels(page, shown, await picture(page));
    await toggle.check();
    return pixels;
  };

  it('draws nothing in flight, and force and patch at rest', async () => {
    assert.equal(await drawn(0.05), 0);
    // The patch is the whole face, drawn over the box: thousands of pixels.
    assert.ok((await drawn(3)) > 2000);
  });
});
