/** What is written for each agent: in its own file, its own unit of time, with its own switch that makes it fail closed. */
import { describe, expect, it } from 'vitest';
import { INSTALLERS } from '../../src/adapters/install/agents.ts';
import type { Place } from '../../src/adapters/install/installer.ts';
import { jsonAt } from '../../src/adapters/install/json-edit.ts';
import { makeAll } from '../../src/adapters/install/operation.ts';
import { registrationsOf } from '../../src/adapters/install/registrations.ts';
import { ADAPTERS, loadAdapter } from '../../src/adapters/load-adapter.ts';

const HOME = '/home/me';
const PROJECT: Place = { scope: { dir: '/home/me/p' }, home: HOME, env: () => undefined };
const USER: Place = { scope: { user: '/home/me/.config/harness' }, home: HOME, env: () => undefined };
const LAUNCHER = { node: '/usr/bin/node', entry: '/opt/it is/hook.cjs' };

async function written(agent: string, place: Place): Promise<Record<string, string>> {
  const installer = INSTALLERS.get(agent)!;
  const adapter = (await loadAdapter(agent))!;
  const registrations = registrationsOf(adapter, installer, place, LAUNCHER);
  const texts: Record<string, string> = {};
  for (const wanted of installer.files(place, registrations, () => null)) {
    const made = makeAll(
      '',
      wanted.operations((file) => texts[file] ?? null),
    );
    if ('refused' in made) throw new Error(made.refused);
    texts[wanted.file] = made.text;
  }
  return texts;
}

describe('what is written for an agent', () => {
  it('there is an installer for every adapter, and no other', () => {
    expect([...INSTALLERS.keys()].sort()).toEqual(Object.keys(ADAPTERS).sort());
  });

  it.each([
    ['claude-code', ['p/.claude/settings.json'], ['.claude/settings.json']],
    ['codex', ['p/.codex/hooks.json', '.codex/config.toml'], ['.codex/hooks.json', '.codex/config.toml']],
    ['gemini-cli', ['p/.gemini/settings.json'], ['.gemini/settings.json']],
    ['qwen-code', ['p/.qwen/settings.json'], ['.qwen/settings.json']],
    ['copilot', ['p/.github/hooks/harness.json', '.copilot/config.json'], ['.copilot/hooks/harness.json']],
    ['opencode', ['p/.harness-guard/opencode.js', 'p/opencode.json'], ['.config/opencode/plugin/harness.js']],
    ['pi', ['p/.pi/extensions/harness.ts'], ['.pi/agent/extensions/harness.ts']],
    ['cursor', ['p/.cursor/hooks.json'], ['.cursor/hooks.json']],
    [
      'goose',
      ['p/.agents/plugins/harness/hooks/hooks.json', 'p/.agents/plugins/harness/plugin.json'],
      ['.agents/plugins/harness/hooks/hooks.json', '.agents/plugins/harness/plugin.json'],
    ],
  ])('%s: these files', async (agent, project, user) => {
    const below = (paths: readonly string[]) => paths.map((path) => `${HOME}/${path}`);
    expect(Object.keys(await written(agent, PROJECT))).toEqual(below(project));
    expect(Object.keys(await written(agent, USER))).toEqual(below(user));
  });

  it('cline: an executable file for each event', async () => {
    const files = await written('cline', PROJECT);
    const pre = files['/home/me/p/.clinerules/hooks/PreToolUse']!;
    expect(pre.startsWith('#!/bin/sh\n# harness-guard:cline\no=$({ /usr/bin/node ')).toBe(true);
  });

  it.each([
    ['claude-code', 'PreToolUse', { timeout: 15, onFailure: 'block' }],
    ['codex', 'PreToolUse', { timeout: 15 }],
    ['gemini-cli', 'BeforeTool', { timeout: 15_000 }],
    ['qwen-code', 'PreToolUse', { timeout: 15_000 }],
    ['goose', 'PreToolUse', { timeout: 15 }],
  ])('%s: a group with a handler, its time in its own unit', async (agent, event, fields) => {
    const [text] = Object.values(await written(agent, PROJECT));
    const [group] = jsonAt(text!, ['hooks', event]) as [
      { matcher?: string; hooks: [Record<string, unknown>] },
    ];
    expect(group.hooks[0]).toMatchObject({ type: 'command', ...fields });
    const line = String(group.hooks[0].command);
    expect(line).toContain(
      `/usr/bin/node '/opt/it is/hook.cjs' ${agent} ${event} --dir /home/me/p --deadline 7500`,
    );
    expect(line.endsWith(` # harness-guard:${agent}`)).toBe(true);
  });

  it('copilot and cursor: entries without groups, the version their formats demand', async () => {
    const [copilot] = Object.values(await written('copilot', PROJECT));
    expect(jsonAt(copilot!, ['version'])).toBe(1);
    expect(jsonAt(copilot!, ['hooks', 'preToolUse'])).toMatchObject([{ type: 'command', timeoutSec: 15 }]);
    const [cursor] = Object.values(await written('cursor', PROJECT));
    expect(jsonAt(cursor!, ['version'])).toBe(1);
    expect(jsonAt(cursor!, ['hooks', 'preToolUse'])).toMatchObject([{ timeout: 15, failClosed: true }]);
  });

  it('copilot: the folder is trusted', async () => {
    const files = await written('copilot', PROJECT);
    expect(jsonAt(files['/home/me/.copilot/config.json']!, ['trustedFolders'])).toEqual(['/home/me/p']);
  });

  it('codex: one digest for each handler, of its event, matcher, line and time', async () => {
    const { '/home/me/p/.codex/hooks.json': hooks, '/home/me/.codex/config.toml': config } = await written(
      'codex',
      PROJECT,
    );
    const events = Object.keys(jsonAt(hooks!, ['hooks']) as object);
    expect(config!.match(/^\[hooks\.state\./gm)).toHaveLength(events.length);
    expect(config).toMatch(
      /^\[hooks\.state\."\/home\/me\/p\/\.codex\/hooks\.json:pre_tool_use:0:0"\]\ntrusted_hash = "sha256:[0-9a-f]{64}"$/m,
    );
  });

  it('installed for a project, the line names the folder of the user too', async () => {
    const [text] = Object.values(await written('claude-code', { ...PROJECT, userFolder: '/u/harness' }));
    expect(text).toContain('claude-code PreToolUse --dir /home/me/p --user /u/harness --deadline');
    const [plugin] = Object.values(await written('pi', { ...PROJECT, userFolder: '/u/harness' }));
    expect(plugin).toMatch(/"--dir",\s+"\/home\/me\/p",\s+"--user",\s+"\/u\/harness",/);
  });

  it('installed for the user, the line names the folder of the policy', async () => {
    const [text] = Object.values(await written('claude-code', USER));
    expect(text).toContain('claude-code PreToolUse --user /home/me/.config/harness --deadline');
  });

  it('a variable that moves the configuration of an agent is followed', async () => {
    const env = (name: string) => ({ CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d', COPILOT_HOME: '/e' })[name];
    expect(Object.keys(await written('codex', { ...USER, env }))).toEqual([
      '/c/hooks.json',
      '/c/config.toml',
    ]);
    expect(Object.keys(await written('claude-code', { ...USER, env }))).toEqual(['/d/settings.json']);
    expect(Object.keys(await written('copilot', { ...PROJECT, env }))).toContain('/e/config.json');
  });
});
