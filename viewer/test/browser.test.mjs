// All browser tests in one process: browsers are slow to start.
import './report.mjs';
import './live.mjs';
import './compare.mjs';
