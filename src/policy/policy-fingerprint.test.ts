/**
 * The fingerprint of an open policy changes with everything that would make it another one.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { type Host, machineHost } from '../machine/host.ts';
import { packDigest } from '../packs/foreign.ts';
import { openPolicy } from './open-policy.ts';
import { fullFingerprint, policyFingerprint } from './policy-fingerprint.ts';
import { writeRecord } from './trust/records.ts';

const guard = (script: string) => ({
  '.harness/hooks/g.md': hookFile(`def handle(event, payload):\n    ${script}`),
});

/** A machine with a home of its own. */
function machine(home: string): Host {
  const env = (name: string) =>
    name === 'HOME' ? home : name.startsWith('XDG_') ? undefined : machineHost.env(name);
  return { ...machineHost, env };
}

describe('the fingerprint of a policy', () => {
  it('changes with a pack of others that it uses', async () => {
    const pack = 'name: ours\nsummary: Ours.\nrules: []\n';
    const use = (digest: string) => `---\nuse:\n  ./ours.yaml: {mode: enforce, digest: "${digest}"}\n---\n`;
    const dir = tempProject({ 'harness.md': use(packDigest('ours.yaml', pack)), 'ours.yaml': pack });
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const before = policyFingerprint(policy);
    expect(policyFingerprint(policy)).toBe(before);
    writeFileSync(join(dir, 'ours.yaml'), `${pack}# more\n`);
    expect(policyFingerprint(policy)).not.toBe(before);
  });

  it.each([
    [
      'changes with a new tool if a hook asks for the tools',
      'return allow() if policy.tools() else block("none")',
      false,
    ],
    ['does not change with a new tool if no hook asks for the tools', 'return allow()', true],
  ])('%s', async (_title, script, same) => {
    const dir = tempProject(guard(script));
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const before = policyFingerprint(policy);
    mkdirSync(join(dir, '.harness/tools'));
    writeFileSync(join(dir, '.harness/tools/list.md'), '---\n---\nLists.\n');
    expect(policyFingerprint(policy) === before).toBe(same);
  });

  it('is taken where a file stands in the place of the policy folder', async () => {
    const dir = tempProject({ '.harness': 'not a folder' });
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const before = policyFingerprint(policy);
    expect(policyFingerprint(policy)).toBe(before);
  });

  it('changes with a program that a hook runs, what the program names, and the word of the person who trusts it', async () => {
    const home = tempProject();
    const host = machine(home);
    const dir = tempProject({
      '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "guard.sh"}]}}',
      'guard.sh': '#!/bin/sh\n. ./lib/words.sh\n',
      'lib/words.sh': 'x=1\n',
    });
    const user = join(home, '.config/harness');
    const answer = (said: 'yes' | 'no') =>
      writeRecord(
        { folder: user, managed: false },
        { digest: 'a'.repeat(64), answer: said, at: '2026-01-01T00:00:00.000Z' },
        dir,
      );
    answer('no');
    const policy = await openPolicy(dir, { host });
    const later = Date.now() + 60_000;
    const isUnchangedBy = (change: () => void) => {
      const found = fullFingerprint(policy, host);
      change();
      return found.isUnchanged(later);
    };
    expect(isUnchangedBy(() => {})).toBe(true);
    const guard = '#!/bin/sh\n. ./lib/words.sh\nexit 2\n';
    expect(isUnchangedBy(() => writeFileSync(join(dir, 'guard.sh'), guard))).toBe(false);
    expect(isUnchangedBy(() => writeFileSync(join(dir, 'lib/words.sh'), 'x=22\n'))).toBe(false);
    expect(isUnchangedBy(() => answer('yes'))).toBe(false);
  });
});
