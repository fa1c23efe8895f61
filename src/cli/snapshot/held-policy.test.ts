import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { openHeld } from './held-policy.ts';

const HOOK =
  '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n';

async function held(harness: string) {
  const dir = tempProject({ '.harness/hooks/a.md': HOOK, '.harness/harness.md': harness });
  utimesSync(join(dir, '.harness/hooks/a.md'), 1, 1);
  // Files that were written just now are not put away.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return openHeld({ dir, user: null });
}

describe('a policy is put into a heap snapshot', () => {
  it('if all of it is in its files', async () => {
    expect((await held('An agent.\n')).policy.hooks.length).toBeGreaterThan(0);
  });

  it('not with tables from elsewhere: one that failed then would have failed for every process', async () => {
    const tables =
      '---\nnetwork: {allowed_domains: [127.0.0.1]}\ndata:\n  tables:\n    people: {url: "http://127.0.0.1:9/people", ttl: 1m, unavailable: allow}\n---\n';
    await expect(held(tables)).rejects.toThrow('tables from elsewhere');
  });
});
