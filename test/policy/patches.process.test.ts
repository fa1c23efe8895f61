/**
 * The door of S17 that a line does not show: a patch that changes the policy. Each form is judged, and then applied by the real
 * program in walls of its own, so that what is refused is known to be what would have happened.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { type Host, machineHost } from '../../src/machine/host.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { enclosed, whyNotEnclosed } from '../support/enclosed.ts';
import { hookFile } from '../support/temp-project.ts';

const GUARD = '.harness/hooks/guard.md';
const HOOK = hookFile('def handle(event, payload):\n    return allow()', 'event: tool.pre\npriority: 10');
/** What the first line of the guard, `---`, becomes; git wants to see what follows. */
const hunk = `@@ -1,3 +1,3 @@\n----\n+off\n ${HOOK.split('\n').slice(1, 3).join('\n ')}\n`;
const diff = (from: string, to = from) => `--- ${from}\n+++ ${to}\n`;
const GIT = `diff --git a/${GUARD} b/${GUARD}\n${diff(`a/${GUARD}`, `b/${GUARD}`)}${hunk}`;
const octal = '"a/\\056harness/hooks/guard.md"';
const MAIL = `From 0 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: x\n`;
const encodedMail = `${MAIL}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(`m\n---\n${GIT}`).toString('base64')}\n`;
const printableMail = `${MAIL}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nm\n---\n${GIT.replaceAll('.harness', '=2Eharness')}\n`;

const FILES: Readonly<Record<string, string>> = {
  [GUARD]: HOOK,
  'src/a.ts': HOOK,
  'harness.md': '---\nstrict: true\n---\n',
  'git.patch': GIT,
  'plain.patch': diff(GUARD) + hunk,
  'deep.patch': diff(`x/y/z/${GUARD}`) + hunk,
  'inner.patch': diff('a/hooks/guard.md', 'b/hooks/guard.md') + hunk,
  'name.patch': diff('a/guard.md', 'b/guard.md') + hunk,
  'quoted.patch': `diff --git ${octal} ${octal}\n--- ${octal}\n+++ ${octal}\n${hunk}`,
  'renamed.patch': `diff --git a/src/a.ts b/.harness/hooks/b.md\nsimilarity index 100%\nrename from src/a.ts\nrename to .harness/hooks/b.md\n`,
  'mode.patch': `diff --git a/${GUARD} b/${GUARD}\nold mode 100644\nnew mode 100755\n`,
  'deleted.patch': `diff --git a/${GUARD} b/${GUARD}\ndeleted file mode 100644\n${diff(`a/${GUARD}`, '/dev/null')}@@ -1,${HOOK.split('\n').length - 1} +0,0 @@\n${HOOK.replace(/^(?=.)/gm, '-').replace(/\n\n/g, '\n-\n')}`,
  'indented.patch': (diff(`a/${GUARD}`, `b/${GUARD}`) + hunk).replace(/^(?=.)/gm, '    '),
  'mail.mbox': `${MAIL}\nm\n---\n${GIT}`,
  'encoded.mbox': encodedMail,
  'printable.mbox': printableMail,
  'good.patch': diff('a/src/a.ts', 'b/src/a.ts') + hunk,
  'about.patch': `The policy stands in ${GUARD}.\n${diff('a/src/a.ts', 'b/src/a.ts')}@@ -1 +1 @@\n----\n+see ${GUARD}\n`,
  'more/0001-a.patch': diff('a/src/a.ts', 'b/src/a.ts') + hunk,
  'more/0002-b.patch': GIT,
};

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function project(): { readonly place: string; readonly dir: string } {
  const place = mkdtempSync(join(realpathSync(tmpdir()), 'harness-patches-'));
  const dir = join(place, 'project');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  mkdirSync(join(dir, '.git'));
  return { place, dir };
}

async function judged(look?: Host['look']) {
  const { place, dir } = project();
  const host: Host = {
    ...machineHost,
    env: (name) => (name === 'HOME' ? join(place, 'home') : undefined),
    ...(look !== undefined && { look }),
  };
  const policy = await openPolicy(dir, { host, places: { managed: null, user: null } });
  const decide = async (command: string) => {
    const { action, hook, reason } = await policy.decide('tool.pre', {
      id: '1',
      name: 'run',
      args: { command },
    });
    return { action, hook, reason };
  };
  return { dir, decide };
}
const shared = judged();
afterAll(async () => rmSync(dirname((await shared).dir), { recursive: true, force: true }));

/** What the guard and what beside it the command really changes. */
function applied(command: string): boolean {
  const { place, dir } = project();
  made.push(place);
  rmSync(join(dir, '.git'), { recursive: true });
  const script = `git init -q . && git config user.email a@example.com && git config user.name a && git add -A && git commit -qm x || exit 99\n${command}\ntrue`;
  const { argv, env } = enclosed(['/bin/sh', '-c', script], {
    place,
    cwd: dir,
    env: { HOME: join(place, 'home') },
  });
  const [file = '', ...words] = argv;
  const done = spawnSync(file, words, { env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`exit ${done.status}: ${done.stderr}`);
  const status = spawnSync('git', ['-c', 'safe.directory=*', 'status', '--porcelain'], {
    cwd: dir,
    encoding: 'utf8',
  });
  const log = spawnSync('git', ['-c', 'safe.directory=*', 'log', '--name-only', '--format='], {
    cwd: dir,
    encoding: 'utf8',
  });
  const commits = log.stdout.split(GUARD).length - 1;
  return /\.harness/.test(status.stdout) || commits > 1 || readFileSync(join(dir, GUARD), 'utf8') !== HOOK;
}

const walls = whyNotEnclosed('/bin/sh', '-c', 'git --version && patch --version');
if (walls !== null) console.warn(`SKIPPED: patches are applied in walls only, and there are none: ${walls}`);

const heredoc = (line: string, text: string) => `${line} <<'END'\n${text}END`;

describe('a patch that changes the policy is refused, and would have changed it', () => {
  it.each([
    'git apply git.patch',
    'git apply -p0 plain.patch',
    'git apply -p3 deep.patch',
    'git apply --directory=.harness inner.patch',
    'git apply --directory .harness/hooks name.patch',
    'git apply quoted.patch',
    'git apply renamed.patch',
    'git apply mode.patch',
    'git apply deleted.patch',
    'git -C src apply --directory=.harness/hooks ../name.patch; cd src; git apply -p1 ../git.patch; cd ..; git apply git.patch',
    'git apply good.patch more/0002-b.patch',
    'git apply more/*.patch',
    'cat git.patch | git apply',
    'cat good.patch git.patch | git apply -',
    'git apply < git.patch',
    'cp git.patch /dev/shm/x.patch 2>/dev/null; cp git.patch tmp.patch; git apply tmp.patch',
    'git am mail.mbox',
    'git am -q < mail.mbox',
    'cat mail.mbox | git am',
    'cd src && git am ../mail.mbox',
    'git am printable.mbox',
    'patch -p1 < git.patch',
    'patch -p1 -i git.patch',
    'patch -p1 --input=git.patch',
    'patch -d .harness -p1 -i ../inner.patch',
    'patch -d .harness -p1 < inner.patch',
    'cd .harness/hooks && patch -i ../../git.patch',
    'patch -p1 < indented.patch',
    heredoc('git apply', GIT),
    heredoc('patch -p1', GIT),
    `${heredoc('cat > made.patch', GIT)}\ngit apply made.patch`,
    'for p in more/*.patch; do git apply "$p"; done',
  ])('%s', async (command) => {
    const { decide } = await shared;
    expect(await decide(command)).toMatchObject({ action: 'block', hook: 'protected' });
    if (walls === null) expect(applied(command)).toBe(true);
  });
});

describe('[S24] a patch that nobody can look at is asked about', () => {
  it.each([
    ['a download', 'curl -s https://patches.example.com/1.patch | git apply'],
    ['a file of a download', 'curl -so fix.patch https://patches.example.com/1.patch && git apply fix.patch'],
    ['a text that is decoded', 'base64 -d src/a.ts | patch -p1'],
    ['a file that another program changed', 'sed -i s/x/y/ good.patch && git apply good.patch'],
    ['what another program makes', 'python3 make.py && git apply not-there.patch'],
    ['a file that is not there yet', 'git apply not-there.patch'],
    ['a file of another program that is not there yet', 'patch -p1 < not-there.patch'],
    ['a file named when it runs', 'git apply "$PATCH"'],
    ['a folder that is only known when it runs', 'cd "$DIR" && git apply good.patch'],
    ['any file of the history', 'git show other:x.patch | git apply'],
    ['a mail in letters of another kind', 'git am encoded.mbox'],
    ['a folder of mails', 'git am more'],
  ])('%s', async (_what, command) => {
    const { decide } = await shared;
    expect(await decide(command)).toMatchObject({ action: 'ask', hook: 'protected' });
  });

  it('one that is too large to be looked at', async () => {
    const { dir, decide } = await judged();
    made.push(dirname(dir));
    writeFileSync(join(dir, 'large.patch'), `${FILES['good.patch']}${'x'.repeat(4_000_000)}`);
    expect(await decide('git apply large.patch')).toMatchObject({ action: 'ask', hook: 'protected' });
  });
});

describe('a patch of other files passes', () => {
  it.each([
    'git apply good.patch',
    'git apply --check git.patch',
    'git apply --stat git.patch',
    'patch --dry-run -p1 < git.patch',
    'git apply about.patch',
    'cd src && git apply ../good.patch',
    'git am --abort',
    'git am --continue',
    'git diff HEAD~1 | git apply -R',
    'git stash show -p | git apply',
    'git diff > x.patch && git checkout . && git apply x.patch',
    'git format-patch -1 --stdout other | git am',
    'patch -p1 < good.patch',
    'patch src/a.ts good.patch',
    heredoc('git apply', FILES['about.patch']!),
  ])('%s', async (command) => {
    const { decide } = await shared;
    expect(await decide(command)).toMatchObject({ action: 'allow' });
  });
});

it('what was found in a patch is a reading: decided again by it, whatever the file holds by then', async () => {
  const kept: (Json | undefined)[] = [];
  const first = await judged((_kind, read) => kept[kept.push(read()) - 1]);
  const commands = ['git apply git.patch', 'git am encoded.mbox', 'git apply good.patch'];
  const before: JsonObject[] = [];
  for (const command of commands) before.push((await first.decide(command)) as JsonObject);
  expect(before.map(({ action }) => action)).toEqual(['block', 'ask', 'allow']);
  const again = await judged(() => kept.shift());
  made.push(dirname(first.dir), dirname(again.dir));
  writeFileSync(join(again.dir, 'git.patch'), FILES['good.patch']!);
  for (const [i, command] of commands.entries()) expect(await again.decide(command)).toEqual(before[i]);
});
