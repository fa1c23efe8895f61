/**
 * A process of its own on a store of run state: reserves as often as it is told, all at once, and says how often it was
 * granted; or counts until it is killed.
 */
import { writeSync } from 'node:fs';
import { FileRunStore } from '../../src/policy/stores/file-run-store.ts';

const [dir, what, times, limit] = process.argv.slice(2) as [string, 'reserve' | 'count', string, string];
const sync = process.env.SYNC === 'true';
const area = new FileRunStore(dir, { waitMs: 10_000, sync }).user();

if (what === 'count') {
  for (let i = 0; i < Number(times); i++) {
    const said = area.incr('n');
    if (said.ok) writeSync(1, `${said.value}\n`);
  }
} else {
  const now = Date.now();
  const asked = await Promise.all(
    Array.from({ length: Number(times) }, async () => area.reserve('calls', Number(limit), 3_600_000, now)),
  );
  const failed = asked.filter((said) => !said.ok && said.error !== null);
  writeSync(1, `${asked.filter(({ ok }) => ok).length} ${failed.length}\n`);
}
