import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import type { Json, JsonObject } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import { openPolicy } from '../policy/index.ts';
import { sessionPolicy } from './session-policy.ts';

const HOOK = (answer: string) =>
  `---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n    return ${answer}\n---\n`;
const places = { user: null, managed: null };

/** A session that began with a policy of two hooks, one of which is gone since. */
async function changed() {
  const dir = tempProject({
    '.harness/hooks/a.md': HOOK('block("a")'),
    '.harness/hooks/b.md': HOOK('allow()'),
  });
  const folder = join(tempProject(), 'policies');
  mkdirSync(folder);
  const about = { host: 'claude-code', session: 's', folder: dir };
  const parts = { folder, host: machineHost, about };
  const first = await sessionPolicy(await openPolicy(dir, { places }), { ...parts, remembered: undefined });
  if ('problem' in first) throw new Error(first.problem);
  const [change] = first.changes;
  const remembered = (change as { value: JsonObject }).value;
  rmSync(join(dir, '.harness/hooks/a.md'));
  return { folder, parts, remembered, now: await openPolicy(dir, { places }) };
}

const earlier = (remembered: JsonObject): Json => ({ ...remembered, boot: 'another' });

describe('the copy of a policy', () => {
  it('that several sessions make at once is that of the first, and stays where it is', async () => {
    const hooks = Array.from({ length: 100 }, (_, n) => [`.harness/hooks/h${n}.md`, HOOK('allow()')]);
    const policy = await openPolicy(tempProject(Object.fromEntries(hooks)), { places });
    const folder = join(tempProject(), 'policies');
    const about = { host: 'claude-code', session: 's', folder: policy.dir };
    const begin = () => sessionPolicy(policy, { folder, host: machineHost, about, remembered: undefined });
    const first = begin();
    await new Promise(setImmediate);
    const second = begin();
    await first;
    const { ino } = statSync(join(folder, policy.digest.digest));
    await second;
    expect(statSync(join(folder, policy.digest.digest)).ino).toBe(ino);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('clears half copies away that were given up long ago, and leaves those of others at work', async () => {
    const { folder, parts, now } = await changed();
    const [copy] = readdirSync(folder);
    for (const name of ['old.scratch', 'new.scratch']) mkdirSync(join(folder, name));
    utimesSync(join(folder, 'old.scratch'), 0, 0);
    await sessionPolicy(now, { ...parts, remembered: undefined });
    expect(readdirSync(folder).sort()).toEqual([copy, now.digest.digest, 'new.scratch'].sort());
  });
});

describe('a session whose policy was loosened, and whose copy of it', () => {
  it('is whole goes on with the copy, also after the machine was started again', async () => {
    const { parts, remembered, now } = await changed();
    for (const known of [remembered, earlier(remembered)])
      expect(await sessionPolicy(now, { ...parts, remembered: known })).toMatchObject({
        held: { to: now.digest.digest },
      });
  });

  it.each(['emptied', 'taken away'])(
    'was %s by a loss of power begins anew by the policy that is there',
    async (what) => {
      const { folder, parts, remembered, now } = await changed();
      const [copy] = readdirSync(folder);
      if (what === 'taken away') rmSync(join(folder, copy!), { recursive: true });
      else writeFileSync(join(folder, copy!, '0/.harness/hooks/a.md'), '');
      const denied = await sessionPolicy(now, { ...parts, remembered });
      expect(denied).toMatchObject({
        problem: expect.stringContaining('the one of this session is no longer there'),
      });
      const anew = await sessionPolicy(now, { ...parts, remembered: earlier(remembered) });
      expect(anew).toMatchObject({
        before: remembered.digest,
        held: null,
        policy: { digest: { digest: now.digest.digest } },
      });
    },
  );
});
