// Starts the viewer on the data the page brings along.

import 'uplot/dist/uPlot.min.css';
import './style.css';
import { showRuns } from './app';
import { Blob32 } from './blob';
import type { PageData } from './contract';
import { h } from './dom';
import { showLive } from './live';
import { showModes } from './modes';
import { RecordedRun } from './run';
import { applyTheme } from './theme';

const kFormat = 'grapple-view/1';

async function start(root: HTMLElement): Promise<void> {
  applyTheme();
  const data = JSON.parse(document.getElementById('grapple-data')!.textContent!) as PageData;
  if (data.format !== kFormat) throw new Error(`unknown data format ${data.format}`);
  if (data.live) {
    showLive(root, data.live);
    return;
  }
  const blob = await Blob32.unpack(data.blob);
  const runs = data.runs.map((run) => new RecordedRun(run, blob));
  if (runs.length > 0) showRuns(root, runs, data.modes ?? null);
  else if (data.modes) showModes(root, data.modes, null);
}

const root = document.getElementById('app')!;
start(root).catch((error: unknown) => {
  root.replaceChildren(h('p', { class: 'excuse', role: 'alert' }, `The viewer could not start: ${String(error)}`));
  console.error(error);
});
