/**
 * A machine that was joined as root: its policy is a managed layer, in force for every user. The commands run in a mount namespace
 * of their own, with an /etc and a /var/lib that are gone afterwards.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { finish, project } from '../cli/harness.ts';
import { canBePerson } from '../support/person.ts';
import { joinToken } from './machine.ts';
import { filesBlocking, PolicyFleet } from './policy-fleet.ts';

const namespaces = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;
if (!namespaces) console.warn('SKIPPED: no root, or no mount namespaces: joining as root is not tried');

const root = project();
const fleet = new PolicyFleet(root);
beforeAll(() => fleet.start());
afterAll(() => fleet.stop());

const OWN_SYSTEM = `
set -e
cp -a /etc "$SCRATCH/etc"
rm -rf "$SCRATCH/etc/harness"
mount --bind "$SCRATCH/etc" /etc
mount -t tmpfs tmpfs /var/lib
harness() { name=$1; shift; HOME="$SCRATCH/$name" "$NODE" "$CLI" "$@" || true; }
decide() { printf '%s ' "$2"; harness "$1" decide tool.pre --payload "{\\"id\\":\\"1\\",\\"name\\":\\"$2\\",\\"args\\":{}}" --allow-empty --json; }
`;

/** What each line printed, as JSON. */
async function inNamespace(lines: readonly string[], variables: Record<string, string>) {
  const script = join(root, 'script.sh');
  writeFileSync(script, `${OWN_SYSTEM}${lines.join('\n')}\n`);
  const env = { PATH: process.env.PATH!, SCRATCH: root, NODE: process.execPath, CLI: CLI_FILE, ...variables };
  const work = join(root, 'work');
  mkdirSync(work, { recursive: true });
  const { stdout, stderr } = await finish(['unshare', '-m', 'sh', script], { env, cwd: work });
  return { stdout, stderr };
}

/** Tool, action and reason of each call of `decide`. */
function decisionsIn(stdout: string) {
  return [...stdout.matchAll(/^(\w+) (\{"event".*)$/gm)].map(([, tool, text]) => {
    const { action, reason } = JSON.parse(text!) as { action: string; reason: string | null };
    return [tool, action, reason];
  });
}

describe.skipIf(!namespaces)('a machine that joined as root', () => {
  it('has the policy as a managed layer for every user, blocks once its folder is gone, and has it again after the next pull', async () => {
    await fleet.publish(filesBlocking('wipe'));
    const token = await joinToken(fleet.dir);
    const { stdout, stderr } = await inNamespace(
      [
        'harness root fleet join "$URL" --token "$TOKEN" --root "$DIGEST" --json',
        'decide ada wipe',
        'decide ada look',
        'harness ada status',
        'stat -c "%a %u" /var/lib/harness/fleet',
        'rm -rf /var/lib/harness/fleet',
        'decide bob look',
        'harness root fleet agent --once --json',
        'decide bob look',
        'decide bob wipe',
      ],
      { URL: fleet.url, TOKEN: token, DIGEST: fleet.digest },
    );
    expect(decisionsIn(stdout), stderr).toEqual([
      ['wipe', 'block', 'wipe is not for agents'],
      ['look', 'allow', null],
      ['look', 'block', expect.stringContaining('fleet')],
      ['look', 'allow', null],
      ['wipe', 'block', 'wipe is not for agents'],
    ]);
    expect(stdout).toContain('managed:fleet');
    expect(stdout).toMatch(/^7[05]5 0$|^700 0$/m);
  });

  it.skipIf(!canBePerson)(
    'is refused to join without a root while its mark stands, and is free again once root has left, also without its enrolment',
    async () => {
      await fleet.publish(filesBlocking('wipe'));
      const [first, second] = [await joinToken(fleet.dir), await joinToken(fleet.dir)];
      const { stdout, stderr } = await inNamespace(
        [
          'harness chief fleet join "$URL" --token "$FIRST" --root "$DIGEST" --json',
          'rm -rf "$SCRATCH/chief/.local/state/harness/fleet" /var/lib/harness/fleet',
          'decide ada look',
          'harness chief fleet join "$URL" --token "$SECOND" 2>&1',
          'HOME="$SCRATCH/chief" script -qec "\'$NODE\' \'$CLI\' fleet leave" /dev/null </dev/null',
          'decide ada look',
          'decide ada wipe',
          'harness chief fleet join "$URL" --token "$SECOND"',
          'decide ada look',
        ],
        { URL: fleet.url, FIRST: first, SECOND: second, DIGEST: fleet.digest },
      );
      expect(decisionsIn(stdout), stdout + stderr).toEqual([
        ['look', 'block', expect.stringContaining('harness fleet leave')],
        ['look', 'allow', null],
        ['wipe', 'allow', null],
        ['look', 'allow', null],
      ]);
      expect(stdout).toMatch(/error: this machine must have the policy of .*harness fleet leave/);
      expect(stdout).toContain(`This machine left ${fleet.url}`);
      expect(stdout).toContain('This machine takes no policy from the hub');
    },
  );
});
