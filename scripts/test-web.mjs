// The page in a real browser: each place by what a person does there, questions answered by several people, tapes made to hurt whoever looks
// at them, and long ones. `--million` adds a run of a million entries, a part of a title runs only what has it, and `--update` writes the
// pictures of docs/ui.md from the run of the demo. Debian's Chromium is installed where that is possible; where it is not, this is
// skipped, loudly.
import { approvals } from '../test/web/approvals.mjs';
import { home } from '../test/web/home.mjs';
import { hostile } from '../test/web/hostile.mjs';
import { long } from '../test/web/long.mjs';
import { pages } from '../test/web/pages.mjs';
import { browser, endAll } from '../test/web/support.mjs';
import { views } from '../test/web/views.mjs';
import { runTests } from './browser.mjs';

const only = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
try {
  await runTests(
    'the page',
    { ...home, ...views, ...pages, ...approvals, ...hostile, ...long },
    browser,
    only,
  );
} finally {
  await endAll();
}
