// All browser tests in one process: browsers are slow to start.
import { after } from 'node:test';
import { sharedBrowser } from './support.mjs';
import './report.mjs';
import './live.mjs';
import './compare.mjs';
import './contact.mjs';
import './shapes.mjs';
import './fly.mjs';

after(async () => (await sharedBrowser()).close());
