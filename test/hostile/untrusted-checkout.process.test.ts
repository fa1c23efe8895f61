/**
 * The door of S4: a command that is run in a hostile checkout does nothing that was not asked for first. No program of it
 * runs, no module is loaded, no server is reached and no variable leaves.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canBePerson } from '../support/person.ts';
import { harnessBeside, type Listened, PORT, personBeside } from './harness.ts';
import {
  ALL_CAPABILITIES,
  type Checkout,
  CREDENTIAL,
  hostileCheckout,
  type Repository,
  repository,
  SECRET,
} from './repository.ts';

const hostile = () => {
  const repo = hostileCheckout();
  repo.write('story.yaml', STORY);
  return repo;
};

/** As a person with a home of their own who has said nothing, with a secret in the environment. */
function as(
  repo: Repository & Partial<Checkout>,
  args: readonly string[],
  more: Record<string, string> = {},
  input?: string,
) {
  const env = { ...repo.env, HOME: repo.home, HARNESS_TRUST: '', CORP_SECRET: SECRET, ...more };
  return harnessBeside(args, { cwd: repo.dir, env, ...(input !== undefined && { input }) });
}

/** A person at a terminal types the word that is shown, or something else. */
function trusts({ dir, home, env }: Repository & Partial<Checkout>, types?: (word: string) => string) {
  const around = { ...env, HOME: home, HARNESS_TRUST: '' };
  return personBeside(['trust', '--yes'], { cwd: dir, env: around, ...(types !== undefined && { types }) });
}

/** All that was written where records go; what a link leads to is none of it. */
function records({ dir, home }: Repository): string {
  return [join(dir, '.harness'), join(home, '.config'), join(home, '.local')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

const CALL = JSON.stringify({ id: '1', name: 'shell', args: {} });
const LEAK = JSON.stringify({ id: '1', name: 'leak', args: {} });
const MODULE_CALL = JSON.stringify({ id: '1', name: 'module_x', args: {} });
const HOOK_CALL = JSON.stringify({
  ...{ session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'shell', tool_input: {}, cwd: '.' },
});
const STORY =
  'completions:\n  - tool_calls: [{name: shell, args: {}}, {name: quiet, args: {}}, {name: leak, args: {}}]\n  - text: Done.\n';

describe('in a hostile checkout that nobody has trusted', () => {
  const commands: [string, string[], string?][] = [
    ['validate', ['validate']],
    ['hooks', ['hooks']],
    ['decide', ['decide', 'tool.pre', '--exit-code'], CALL],
    ['decide, a module', ['decide', 'tool.pre'], MODULE_CALL],
    ['decide, advisory', ['decide', 'session.start'], '{"source": "startup"}'],
    ['test', ['test']],
    ['run with the model it names', ['run', '--prompt', 'Hello'], ''],
    ['run with a script', ['run', '--script', 'story.yaml', '--prompt', 'Hello'], ''],
    ['trust without an answer', ['trust'], ''],
    ['trust --json', ['trust', '--json'], ''],
    ['doctor', ['doctor']],
    ['status', ['status']],
    ['sandbox --print', ['sandbox', '--print', '--', 'true']],
    ['fmt', ['fmt', '--check']],
    ['diff', ['diff', '.', '.', '--tries', '20']],
    ['report', ['report', '.']],
    ['suggest', ['suggest', '.']],
    ['install --print', ['install', 'claude-code', '--print']],
    ['hook', ['hook', 'claude-code', 'PreToolUse', '--dir', '.'], HOOK_CALL],
    ['lsp', ['lsp'], ''],
  ];

  it.each(commands)('%s runs no program, reaches no server, lends no file', async (_name, args, input) => {
    const repo = hostile();
    const { stdout, stderr, signal, asked } = await as(repo, args, {}, input);
    expect(signal).toBe(null);
    expect(repo.ran()).toEqual([]);
    expect(asked).toEqual([]);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout + stderr).not.toContain(CREDENTIAL);
    expect(records(repo)).not.toContain(CREDENTIAL);
  });

  it.each<[string, string[], string?]>([
    ['decide', ['decide', 'tool.pre', '--explain'], LEAK],
    ['validate', ['validate']],
    ['run', ['run', '--script', 'story.yaml', '--prompt', 'Hello', '--json'], ''],
    ['hook', ['hook', 'claude-code', 'PreToolUse', '--dir', '.'], HOOK_CALL],
  ])(
    '%s reads no table that is a link to a file elsewhere, and keeps no copy of it',
    async (_name, args, input) => {
      const repo = hostile();
      repo.lendTable();
      for (const trust of ['', 'all']) {
        const { stdout, stderr } = await as(repo, args, { HARNESS_TRUST: trust }, input);
        expect(stdout + stderr).toContain('it is a link that leads out of the policy folder');
        expect(stdout + stderr + records(repo)).not.toContain(CREDENTIAL);
      }
    },
  );

  it('a guard that needs a program blocks, and only the person is told the way out', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const done = await as(repo, ['decide', 'tool.pre', '--json', '--exit-code'], {}, CALL);
    expect(done.code).toBe(2);
    expect(JSON.parse(done.stdout)).toMatchObject({
      action: 'block',
      hook: 'guard',
      reason: 'hook "guard" runs a program, and its folder has not been trusted',
    });
    expect(done.stdout).not.toMatch(/harness trust|HARNESS_TRUST/);
    expect(done.stderr).toContain('warning[TRUST_MISSING]');
    expect(done.stderr).toContain(`harness trust ${repo.dir}`);
  });

  it('a tool that starts programs is refused with the cause; others run', async () => {
    const repo = repository({ ...ALL_CAPABILITIES, 'story.yaml': STORY });
    repo.write('.harness/settings.json', '{"hooks": {}}');
    repo.write('harn.toml', '');
    const { stdout, stderr } = await as(repo, ['run', '--script', 'story.yaml', '--prompt', 'x', '--json']);
    expect(stdout).toContain(
      'the tool shell reaches beyond the sandbox, and its folder has not been trusted',
    );
    expect(stdout).toContain('"quiet"');
    expect(stdout).not.toContain('harness trust');
    expect(stderr).toContain('MCP server evil: it needs a capability, and the folder has not been trusted');
    expect(repo.ran()).toEqual([]);
  });

  it('a model at an address of its own is not used', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const { code, stderr } = await as(repo, ['run', '--prompt', 'Hello'], {}, '');
    expect(code).toBe(2);
    expect(stderr).toContain('is not used: it needs a capability, and the folder has not been trusted');
  });
});

describe('variables', () => {
  it('that nobody lists are not sent, even by a trusted folder', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const { code, stderr, asked } = await as(repo, ['run', '--prompt', 'x'], { HARNESS_TRUST: 'all' }, '');
    expect(code).toBe(2);
    expect(stderr).toContain('it names the variable CORP_SECRET, which projects may not name');
    expect(stderr).toContain('warning[VARIABLE_UNLISTED]');
    expect(asked.filter((line) => line.includes(SECRET))).toEqual([]);
  });

  it('that the user lists may be named by a trusted folder', async () => {
    const model = `{name: openai/x, base_url: "http://127.0.0.1:${PORT}/v1", api_key_env: CORP_SECRET}`;
    const repo = repository({ 'harness.md': `---\nmodel: ${model}\nlimits: {max_attempts: 1}\n---\n` });
    mkdirSync(join(repo.home, '.config/harness'), { recursive: true });
    writeFileSync(
      join(repo.home, '.config/harness/harness.md'),
      '---\nenvironment: {name: [CORP_SECRET]}\n---\n',
    );
    const { asked } = await as(
      ...[repo, ['run', '--prompt', 'x', '--max-turns', '1'], { HARNESS_TRUST: 'all' }, ''],
    );
    expect(asked.some((line) => line === `/v1/chat/completions Bearer ${SECRET}`)).toBe(true);
  });
});

describe('trust', () => {
  const trusted = (done: Listened) =>
    (JSON.parse(done.stdout) as { folders: { trusted: boolean }[] }).folders;

  it.skipIf(!canBePerson)(
    'lists every capability in words, and holds once a person has typed the word',
    async () => {
      const repo = repository(ALL_CAPABILITIES);
      const shown = await as(repo, ['trust'], {}, '');
      expect(shown.code).toBe(1);
      for (const word of [
        'guard.sh',
        'sh ./line.sh',
        'policy.mjs',
        'server.sh',
        'CORP_SECRET',
        'collector.example',
      ])
        expect(shown.stdout).toContain(word);
      expect(shown.stdout).toContain('3 programs that hooks run');
      expect((await as(repo, ['trust', '--yes'])).stderr).toContain('HARNESS_TRUST=');
      expect((await trusts(repo, () => 'yes')).status).toBe(1);
      expect(trusted(await as(repo, ['trust', '--json'], {}, ''))).toMatchObject([{ trusted: false }]);
      expect((await trusts(repo)).status).toBe(0);
      expect(trusted(await as(repo, ['trust', '--json']))).toMatchObject([{ trusted: true, by: 'record' }]);
      expect((await as(repo, ['decide', 'tool.pre', '--exit-code'], {}, CALL)).code).toBe(0);
      expect(repo.ran()).toEqual(['guard']);
      await as(repo, ['untrust']);
      expect(trusted(await as(repo, ['trust', '--json'], {}, ''))).toMatchObject([
        { trusted: false, by: null },
      ]);
    },
  );

  it.skipIf(!canBePerson)('lets run exactly what it lists, and nothing that lies about', async () => {
    const repo = hostile();
    expect((await trusts(repo)).status).toBe(0);
    const done = await as(repo, ['run', '--script', 'story.yaml', '--prompt', 'x'], {}, '');
    // Its servers and its model name a variable that nobody lists: they stay out, trusted or not.
    expect(done.stderr.match(/names the variable CORP_SECRET, which projects may not name/g)).toHaveLength(3);
    expect(repo.ran()).toEqual(['guard', 'session-start', 'tool']);
    expect(done.asked).toEqual([]);
  });

  it('of init covers what init wrote', async () => {
    const repo = repository({});
    expect((await as(repo, ['init'])).code).toBe(0);
    const folders = trusted(await as(repo, ['trust', '--json']));
    expect(folders).toMatchObject([{ trusted: true, by: 'record' }]);
  });

  it('of demo covers the copy it made', async () => {
    const repo = repository({});
    const copy = join(repo.dir, 'my-demo');
    expect((await as(repo, ['demo', copy])).code).toBe(0);
    const folders = trusted(await as(repo, ['trust', copy, '--json'], {}, ''));
    expect(folders).toMatchObject([{ trusted: true, by: 'record' }]);
  });

  it('of init covers nothing that was there before', async () => {
    const repo = repository({ '.harness/settings.json': ALL_CAPABILITIES['.harness/settings.json']! });
    const { stderr } = await as(repo, ['init']);
    expect(stderr).toContain('TRUST_MISSING');
    expect(trusted(await as(repo, ['trust', '--json']))).toMatchObject([{ trusted: false }]);
  });

  it('of HARNESS_TRUST is by digest', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const { stdout } = await as(repo, ['trust', '--json'], {}, '');
    const [{ digest }] = (JSON.parse(stdout) as { folders: [{ digest: string }] }).folders;
    expect(
      (await as(repo, ['decide', 'tool.pre', '--exit-code'], { HARNESS_TRUST: digest }, CALL)).code,
    ).toBe(0);
  });
});

describe('replay', () => {
  it('loads no module and starts no program: their answers are on the tape', async () => {
    const repo = repository({
      'harn.toml': '[[hooks]]\nevent = "PreToolUse"\nhandler = "policy::gate"\n',
      'policy.mjs': ALL_CAPABILITIES['policy.mjs']!,
      '.harness/settings.json': '{"hooks": {"PreToolUse": [{"path": "guard.sh"}]}}',
      'guard.sh': ALL_CAPABILITIES['guard.sh']!,
      '.harness/tools/quiet.md': ALL_CAPABILITIES['.harness/tools/quiet.md']!,
      'story.yaml': 'completions:\n  - tool_calls: [{name: quiet, args: {}}]\n  - text: Done.\n',
    });
    const run = ['run', '--script', 'story.yaml', '--prompt', 'x', '--tape', 'run.jsonl'];
    expect((await as(repo, run, { HARNESS_TRUST: 'all' })).code).toBe(0);
    expect(repo.ran()).toEqual(['guard', 'module', 'module-called']);
    const other = repository({ 'run.jsonl': readFileSync(join(repo.dir, 'run.jsonl'), 'utf8') });
    for (const path of [
      'harn.toml',
      'policy.mjs',
      '.harness/settings.json',
      'guard.sh',
      '.harness/tools/quiet.md',
    ])
      other.write(
        path,
        readFileSync(join(repo.dir, path), 'utf8').replaceAll(join(repo.dir, '..', 'marks'), 'MARKS'),
        0o755,
      );
    const done = await as(other, ['replay', 'run.jsonl', '--dir', '.', '--json']);
    expect(JSON.parse(done.stdout)).toMatchObject({ differences: [], notReplayable: [] });
    expect(other.ran()).toEqual([]);
  });
});
