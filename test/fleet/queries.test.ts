/** The views of the page ask a machine's tapes and a hub's store the same questions, and get the same answers. */
import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { MEMORY, openSqlite } from '../../src/hub/index.ts';
import { ApprovalsDesk } from '../../src/page/approvals.ts';
import { Overviews } from '../../src/page/overview.ts';
import { TapeQueries } from '../../src/page/tape-queries.ts';
import { Tapes } from '../../src/page/tapes.ts';
import { TodaysPolicy } from '../../src/page/today.ts';
import { remove } from '../support/remove.ts';
import { hubSource } from './hub-source.ts';
import { queryCases } from './query-cases.ts';
import { rawOf } from './tapes.ts';

const folder = mkdtempSync(join(tmpdir(), 'harness-queries-'));
afterAll(() => remove(folder));

queryCases("a machine's tapes", async (recorded) => {
  const runs = join(folder, '.harness', 'runs');
  mkdirSync(runs, { recursive: true });
  recorded.forEach(({ session, lines }, i) => {
    const file = join(runs, `${session}.jsonl`);
    writeFileSync(file, rawOf(lines));
    utimesSync(file, i, i);
  });
  const tapes = new Tapes(() => [runs]);
  return new TapeQueries(
    tapes,
    new Overviews(tapes),
    new TodaysPolicy(folder),
    new ApprovalsDesk(null, null),
  );
});
queryCases("a hub's store on SQLite", async (recorded) => hubSource(await openSqlite(MEMORY), recorded));
