import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hookFile } from '../../test/support/temp-project.ts';
import type { JsonObject } from '../base/json.ts';
import { type Host, machineHost } from '../machine/host.ts';
import { openPolicy } from './open-policy.ts';

const CASES = parse(readFileSync(new URL('protected.cases.yaml', import.meta.url), 'utf8')) as {
  readonly refused: string[];
  readonly passes: string[];
};

const GUARD = hookFile('def handle(event, payload):\n    return allow()', 'event: tool.pre\npriority: 10');
const PATCH = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

const MANIFEST =
  '{\n  "name": "a",\n  "devDependencies": {\n    "harness-hooks": "^0.3.0",\n    "lodash": "1.0.0"\n  }\n}\n';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

async function world() {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'harness-protected-'));
  made.push(top);
  const home = join(top, 'home');
  const dir = join(top, 'project');
  for (const folder of [
    '.harness/hooks',
    '.harness/runs',
    'node_modules/harness-hooks/dist/cli',
    'src',
    'evil/.harness',
    '.claude',
    '.vscode',
    '.cursor',
  ]) {
    mkdirSync(join(dir, folder), { recursive: true });
  }
  mkdirSync(join(home, '.config/harness/hooks'), { recursive: true });
  const files: Record<string, string> = {
    '.harness/hooks/guard.md': GUARD,
    '.harness/guard': '#!/bin/sh\n',
    'node_modules/harness-hooks/dist/cli/hook.cjs': '',
    'package.json': MANIFEST,
    'harness.md': '---\nstrict: true\n---\n',
    'src/a.ts': '',
    'bad.patch': PATCH('.harness/hooks/guard.md'),
    'good.patch': PATCH('src/a.ts'),
    '.claude/settings.json': '{"hooks": {"PreToolUse": [{"command": "harness hook claude-code"}]}}',
    '.vscode/settings.json': '{}',
    '.mcp.json':
      '{"mcpServers": {"files": {"command": "node", "args": ["/opt/harness.cjs", "mcp", "--", "files"]}}}',
    '.cursor/mcp.json': '{"mcpServers": {"files": {"command": "files"}}}',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text);
  symlinkSync('.harness/hooks', join(dir, 'docs'));
  symlinkSync('.harness/hooks/new.md', join(dir, 'later'));
  linkSync(join(dir, '.harness/hooks/guard.md'), join(dir, 'copy.md'));
  const host: Host = { ...machineHost, env: (name) => (name === 'HOME' ? home : undefined) };
  const places = { managed: null, user: join(home, '.config/harness') };
  const policy = await openPolicy(dir, { host, places });
  const decide = async (name: string, args: JsonObject) => {
    const outcome = await policy.decide('tool.pre', { id: '1', name, args });
    return { action: outcome.action, hook: outcome.hook, reason: outcome.reason };
  };
  return { top, home, dir, policy, decide };
}

const shared = world();

describe('the policy is not the agent’s to change', () => {
  it.each(CASES.refused)('by a command: %s', async (command) => {
    const { decide } = await shared;
    expect(await decide('run', { command })).toMatchObject({ action: 'block', hook: 'protected' });
  });

  it.each(CASES.passes)('what does not change it passes: %s', async (command) => {
    const { decide } = await shared;
    expect(await decide('run', { command })).toMatchObject({ action: 'allow' });
  });

  it.each<[string, string, JsonObject]>([
    ['its name', 'write_file', { path: '.harness/hooks/guard.md', content: '' }],
    ['a new file', 'write_file', { path: '.harness/hooks/new.md', content: '' }],
    ['a file beside it', 'Write', { file_path: 'agent.json', content: '{}' }],
    ['a link to its folder', 'write_file', { path: 'docs/guard.md', content: '' }],
    ['a new file behind a link', 'write_file', { path: 'docs/deep/new.md', content: '' }],
    ['a link to a file that is not there yet', 'write_file', { path: 'later', content: '' }],
    ['a hard link', 'edit_file', { path: 'copy.md', old: 'a', new: 'b' }],
    ['dots', 'write_file', { path: 'src/../.harness/./hooks/../hooks/guard.md' }],
    ['dots behind a link', 'write_file', { path: 'docs/../hooks/guard.md' }],
    ['a list', 'MultiEdit', { edits: [{ file_path: 'src/a.ts' }, { file_path: 'docs/guard.md' }] }],
    ['a second path', 'write_file', { path: 'src/a.ts', output_path: 'harness.md' }],
    ['a file address', 'write_file', { uri: 'FILE' }],
    ['a tool nobody knows', 'frobnicate', { target: '.harness/x' }],
    ['moving', 'move_file', { from: '.harness', to: 'x' }],
    ['deleting what is around it', 'delete_file', { path: '.' }],
    ['white space', 'write_file', { path: ' .harness/hooks/guard.md' }],
    ['the home folder', 'write_file', { path: '~/.config/harness/harness.md' }],
    ['an address with signs', 'write_file', { uri: 'FILE%' }],
    ['an address with a host', 'write_file', { url: 'FILE@' }],
    ['another key', 'save', { location: '.harness/x' }],
    ['a file of a list', 'write_files', { files: [{ name: 'harness.md', content: '' }] }],
    ['a key that is a path', 'write_files', { files: { 'harness.md': '' } }],
    ['a patch', 'apply_patch', { input: '*** Begin Patch\n*** Delete File: harness.md\n*** End Patch' }],
    ['a diff', 'patch', { diff: '--- a/harness.md\n+++ b/harness.md\n@@ -1 +1 @@\n-a\n+b\n' }],
    ['a server that says it reads', 'mcp__search__upload_file', { path: '.harness/x' }],
    ['a tool that reads and stores', 'get_and_store', { path: '.harness/x' }],
    ['a tool that empties a folder', 'clear_dir', { path: '.' }],
    ['a download', 'download_and_open', { url: 'https://a.example', dest: '.harness/x' }],
    ['an edit that deletes', 'edit_file', { path: '.', delete: true }],
    ['an edit that moves', 'edit_file', { path: '.', to: '../x' }],
    ['a second file that an agent reads', 'write_file', { path: '.claude/settings.local.json' }],
    ['the same file of the home folder', 'write_file', { path: '~/.claude/settings.json' }],
    ['where a client starts servers behind the proxy', 'write_file', { path: '.mcp.json', content: '{}' }],
    ['what an agent is told', 'write_file', { path: '.claude/settings.json', content: '{}' }],
    ['the guard', 'write_file', { path: '.harness/guard', content: 'exit 0' }],
    ['the package', 'write_file', { path: 'node_modules/harness-hooks/dist/cli/hook.cjs', content: '' }],
    [
      'a new file of the package',
      'Write',
      { file_path: 'node_modules/harness-hooks/dist/x.cjs', content: '' },
    ],
    [
      'its entry, written anew',
      'write_file',
      { path: 'package.json', content: MANIFEST.replace('^0.3.0', 'file:evil') },
    ],
    ['its entry, left out', 'write_file', { path: 'package.json', content: '{}' }],
    [
      'its entry, edited',
      'Edit',
      {
        file_path: 'package.json',
        old_string: '"harness-hooks": "^0.3.0"',
        new_string: '"harness-hooks": "file:evil"',
      },
    ],
    [
      'its entry, edited in a list',
      'MultiEdit',
      { file_path: 'package.json', edits: [{ old_string: '"harness-hooks"', new_string: '"other"' }] },
    ],
    [
      'a patch of its entry',
      'apply_patch',
      {
        input:
          '*** Begin Patch\n*** Update File: package.json\n@@\n-    "harness-hooks": "^0.3.0",\n+    "harness-hooks": "file:evil",\n*** End Patch',
      },
    ],
    [
      'where its lockfile has it from',
      'Edit',
      {
        file_path: 'package-lock.json',
        old_string: 'https://a.example/harness-hooks-0.3.0.tgz',
        new_string: 'https://b.example/harness-hooks-0.3.0.tgz',
      },
    ],
  ])('by a file tool through %s', async (_how, name, args) => {
    const { decide, dir } = await shared;
    const given = JSON.parse(
      JSON.stringify(args)
        .replace('"FILE"', `"file://${dir}/harness.md"`)
        .replace('"FILE%"', `"file://${dir}/%68arness.md"`)
        .replace('"FILE@"', `"file://localhost${dir}/harness.md"`),
    ) as JsonObject;
    expect(await decide(name, given)).toMatchObject({ action: 'block', hook: 'protected' });
  });

  it.each<[string, JsonObject]>([
    ['write_file', { path: 'src/a.ts', content: 'see .harness/hooks/guard.md' }],
    ['write_file', { path: 'docs2/x.md' }],
    ['write_file', { path: 'harness.md.txt' }],
    ['read_file', { path: '.harness/hooks/guard.md' }],
    ['Read', { file_path: 'docs/guard.md' }],
    ['write_file', { path: '.vscode/settings.json' }],
    ['write_file', { path: '.cursor/mcp.json' }],
    ['write_file', { path: '.gemini/settings.json' }],
    ['write_file', { path: 'src/x.md', content: '*** Begin Patch\n*** Delete File: harness.md\n' }],
    ['edit_file', { path: 'src/a.ts', old: '--- a/harness.md\n+++ b/harness.md', new: 'x' }],
    ['write_file', { path: '\0' }],
    ['delete_file', { path: 'src' }],
    ['delete_file', { path: 'node_modules' }],
    ['write_file', { path: 'package.json', content: MANIFEST.replace('1.0.0', '1.0.1') }],
    ['Edit', { file_path: 'package.json', old_string: '"lodash": "1.0.0"', new_string: '"lodash": "1.0.1"' }],
    [
      'Edit',
      {
        file_path: 'package.json',
        old_string: '"harness-hooks": "^0.3.0"',
        new_string: '"harness-hooks": "^0.3.0",\n    "b": "1"',
      },
    ],
    ['read_file', { path: 'node_modules/harness-hooks/dist/cli/hook.cjs' }],
    ['write_file', { path: 'docs2/package.md', content: 'npm i harness-hooks' }],
  ])('%s %j passes', async (name, args) => {
    const { decide } = await shared;
    expect(await decide(name, args)).toMatchObject({ action: 'allow' });
  });

  it('also once its folder has another name, and where it was', async () => {
    const { top, dir, decide } = await world();
    renameSync(join(dir, '.harness'), join(top, 'moved'));
    expect(await decide('write_file', { path: join(top, 'moved/hooks/guard.md') })).toMatchObject({
      hook: 'protected',
    });
    expect(await decide('write_file', { path: '.harness/hooks/guard.md' })).toMatchObject({
      hook: 'protected',
    });
  });

  it('and neither is what a host adds, such as a tape elsewhere', async () => {
    const { top, policy, decide } = await world();
    const tape = join(top, 'tape.jsonl');
    expect(await decide('write_file', { path: tape })).toMatchObject({ action: 'allow' });
    policy.guarded.add({ files: [tape] });
    expect(await decide('write_file', { path: tape })).toMatchObject({ action: 'block', hook: 'protected' });
  });

  it('wherever the user has the files of an agent', async () => {
    const { dir, home } = await world();
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(join(elsewhere, 'Code/User'), { recursive: true });
    writeFileSync(join(elsewhere, 'hooks.json'), '{"hooks": {"Stop": [{"command": "harness hook codex"}]}}');
    writeFileSync(
      join(elsewhere, 'Code/User/mcp.json'),
      '{"servers": {"a": {"args": ["harness.cjs", "mcp"]}}}',
    );
    const env: Record<string, string> = { HOME: home, CODEX_HOME: elsewhere, XDG_CONFIG_HOME: elsewhere };
    const host: Host = { ...machineHost, env: (name) => env[name] };
    const { guarded } = await openPolicy(dir, { host, places: { managed: null, user: null } });
    const files = ['hooks.json', 'config.toml', 'Code/User/mcp.json'].map((name) => join(elsewhere, name));
    expect(guarded.paths.files).toEqual(expect.arrayContaining(files));
  });

  it('is a list that can be shown', async () => {
    const { dir, home, policy } = await shared;
    const { folders, files } = policy.guarded.paths;
    expect(folders).toEqual(
      expect.arrayContaining([
        join(dir, '.harness'),
        join(home, '.config/harness'),
        join(home, '.local/state/harness'),
      ]),
    );
    expect(files).toEqual(
      expect.arrayContaining([
        join(dir, 'harness.md'),
        join(dir, '.claude/settings.json'),
        join(dir, '.harness/hooks/guard.md'),
      ]),
    );
    expect(files).not.toContain(join(dir, '.vscode/settings.json'));
  });

  it('says so without naming a way around', async () => {
    const { decide } = await shared;
    const { reason } = await decide('run', { command: 'harness pause --for 1h --reason x' });
    expect(reason).toBe(
      'harness pause: whether the policy is in force is for a person to say, not for the agent',
    );
    const pruned = await decide('run', { command: 'npx harness tape prune --older 0m --yes' });
    expect(pruned.reason).toContain('which tapes are kept is for a person to say, not for the agent');
    const joined = await decide('run', { command: 'harness fleet join https://example.org --token x' });
    expect(joined.reason).toContain('which hub gets the tapes is for a person to say');
    expect((await decide('run', { command: 'harness fleet status' })).action).toBe('allow');
    expect((await decide('run', { command: 'harness tape find sudo' })).action).toBe('allow');
  });

  it('takes time in proportion to the length of a command, whatever it holds', async () => {
    const { decide } = await shared;
    const before = process.cpuUsage();
    const paths = Array.from({ length: 2000 }, (_, i) => `x${i}`).join(' ');
    for (const command of [
      `touch ${paths}`,
      `rm ${paths}`,
      `rm ${'*/'.repeat(20_000)}`,
      `echo > ${'a/'.repeat(20_000)}`,
    ]) {
      await decide('run', { command });
    }
    expect(process.cpuUsage(before).user).toBeLessThan(6_000_000);
  });
});
