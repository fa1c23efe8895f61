/** What is written for each agent: in its own file, its own unit of time, with its own switch that makes it fail closed. */
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../../src/agents/all-agents.ts';
import type { InstallTarget } from '../../src/agents/install/installer.ts';
import { jsonAt } from '../../src/agents/install/json-edit.ts';
import { makeAll } from '../../src/agents/install/operation.ts';
import { registrationsOf } from '../../src/agents/install/registrations.ts';
import { ADAPTERS, loadAdapter } from '../../src/agents/load-adapter.ts';

const HOME = '/home/me';
const PROJECT: InstallTarget = { scope: { dir: '/home/me/p' }, home: HOME, env: () => undefined };
const USER: InstallTarget = { scope: { user: '/home/me/.config/harness' }, home: HOME, env: () => undefined };

async function written(agent: string, place: InstallTarget): Promise<Record<string, string>> {
  const installer = AGENTS.get(agent)!.installer;
  const adapter = (await loadAdapter(agent))!;
  const registrations = registrationsOf(adapter, installer, place);
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
    expect([...AGENTS.keys()].sort()).toEqual(Object.keys(ADAPTERS).sort());
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
    expect(pre).toMatch(/^#!\/bin\/sh\n# harness-guard:cline\nsh .*\/\.\.\/\.\.\/\.harness\/guard" cline/);
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
    expect(line).toContain(` ${agent} ${event}`);
    expect(line).not.toContain('/home/me');
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

  it.each(Object.keys(ADAPTERS))(
    '%s: what is committed of a project names no path of a machine',
    async (agent) => {
      const files = await written(agent, PROJECT);
      const committed = Object.entries(files).filter(([path]) => path.startsWith(`${HOME}/p/`));
      expect(committed).not.toEqual([]);
      for (const [, text] of committed) expect(text).not.toMatch(/\/home\/me|file:\/\//);
    },
  );

  it('opencode and pi: the placed file finds the guard from where it stands', async () => {
    const [opencode] = Object.values(await written('opencode', PROJECT));
    expect(opencode).toContain('new URL("../.harness/guard", import.meta.url)');
    const [pi] = Object.values(await written('pi', PROJECT));
    expect(pi).toContain('new URL("../../.harness/guard", import.meta.url)');
    const files = await written('opencode', PROJECT);
    expect(jsonAt(files['/home/me/p/opencode.json']!, ['plugin'])).toEqual(['./.harness-guard/opencode.js']);
  });

  it.each(['claude-code', 'codex', 'cline', 'pi'])(
    '%s: installed for the user, the guard in the policy folder of the user is run',
    async (agent) => {
      const [text] = Object.values(await written(agent, USER));
      expect(text).toContain('/home/me/.config/harness/guard');
    },
  );

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
