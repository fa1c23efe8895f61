/** An agent's own switches that keep hooks from running: each that stands in a file or in the environment is named. */
import { describe, expect, it } from 'vitest';
import { AGENTS, ALL_AGENTS } from '../../src/agents/all-agents.ts';
import type { Place } from '../../src/agents/install/installer.ts';
import { makeAll } from '../../src/agents/install/operation.ts';
import { registrationsOf } from '../../src/agents/install/registrations.ts';
import { switchesOn } from '../../src/agents/switches.ts';

const HOME = '/home/me';
const PROJECT: Place = { scope: { dir: '/home/me/p' }, home: HOME, env: () => undefined };

/** What is said of an agent with these files, and these variables. */
function said(
  agent: string,
  files: Readonly<Record<string, string>>,
  variables: Record<string, string> = {},
) {
  const place = { ...PROJECT, env: (name: string) => variables[name] };
  return switchesOn(AGENTS.get(agent)!, place, (file) => files[file] ?? null);
}

/** The files of an agent as `install` writes them. */
function installed(agent: string): Record<string, string> {
  const { adapter, installer } = AGENTS.get(agent)!;
  const texts: Record<string, string> = {};
  for (const wanted of installer.files(PROJECT, registrationsOf(adapter, installer, PROJECT), () => null)) {
    const made = makeAll(
      '',
      wanted.operations((file) => texts[file] ?? null),
    );
    if ('text' in made) texts[wanted.file] = made.text;
  }
  return texts;
}

describe('switches that keep hooks from running', () => {
  it.each([
    ['claude-code', '/home/me/p/.claude/settings.local.json', '{"disableAllHooks":true}', 'disableAllHooks'],
    [
      'claude-code',
      '/home/me/.claude/settings.json',
      '{"env":{"CLAUDE_CODE_SIMPLE":"1"}}',
      'CLAUDE_CODE_SIMPLE',
    ],
    [
      'claude-code',
      '/home/me/.claude/settings.json',
      '{"env":{"CLAUDE_CODE_SAFE_MODE":"true"}}',
      'SAFE_MODE',
    ],
    ['claude-code', '/etc/claude-code/managed-settings.json', '{"disableAllHooks":true}', 'disableAllHooks'],
    [
      'claude-code',
      '/etc/claude-code/managed-settings.json',
      '{"allowManagedHooksOnly":true}',
      'allowManagedHooksOnly',
    ],
    [
      'claude-code',
      '/etc/claude-code/managed-settings.json',
      '{"strictPluginOnlyCustomization":["hooks"]}',
      'strictPlugin',
    ],
    ['codex', '/home/me/.codex/config.toml', '[features]\nhooks = false\n', 'features.hooks'],
    ['codex', '/home/me/p/.codex/config.toml', '[features]\nhooks = false\n', 'features.hooks'],
    [
      'codex',
      '/etc/codex/requirements.toml',
      'allow_managed_hooks_only = true\n',
      'allow_managed_hooks_only',
    ],
    [
      'gemini-cli',
      '/home/me/.gemini/settings.json',
      '{"hooksConfig":{"enabled":false}}',
      'hooksConfig.enabled',
    ],
    [
      'gemini-cli',
      '/home/me/p/.gemini/settings.json',
      '{"hooksConfig":{"disabled":["harness-BeforeTool"]}}',
      'hooksConfig.disabled',
    ],
    [
      'gemini-cli',
      '/etc/gemini-cli/settings.json',
      '{"hooksConfig":{"enabled":false}}',
      'hooksConfig.enabled',
    ],
    ['qwen-code', '/home/me/.qwen/settings.json', '{"disableAllHooks":true}', 'disableAllHooks'],
    ['copilot', '/home/me/p/.github/copilot/settings.json', '{"disableAllHooks":true}', 'disableAllHooks'],
  ])('%s: %s with %s is named, with the file and what it does', (agent, file, text, name) => {
    const [words, ...more] = said(agent, { ...installed(agent), [file]: text });
    expect(more).toEqual([]);
    expect(words).toContain(`${file}: `);
    expect(words).toContain(name);
    expect(words).toContain(' is set, so that ');
  });

  it.each([
    ['claude-code', 'CLAUDE_CODE_SIMPLE'],
    ['claude-code', 'CLAUDE_CODE_SAFE_MODE'],
    ['opencode', 'OPENCODE_PURE'],
  ])('%s: the variable %s is named where it is set, and not where it says no', (agent, name) => {
    expect(said(agent, {}, { [name]: '1' })).toEqual([
      expect.stringContaining(`${name} is set in this environment`),
    ]);
    for (const off of ['', '0', 'false']) expect(said(agent, {}, { [name]: off })).toEqual([]);
  });

  it('codex: a hook of ours that is switched off in the list of trusted hooks is named, one of somebody else is not', () => {
    const files = installed('codex');
    const config = '/home/me/.codex/config.toml';
    expect(said('codex', files)).toEqual([]);
    const off = files[config]!.replace(/^trusted_hash = .*$/m, '$&\nenabled = false');
    expect(said('codex', { ...files, [config]: off })).toEqual([
      expect.stringContaining('a hook of ours does not run'),
    ]);
    const others = '[hooks.state."/home/me/p/.codex/hooks.json:stop:7:0"]\nenabled = false\n';
    expect(said('codex', { ...files, [config]: others })).toEqual([]);
  });

  it('gemini-cli: a hook of somebody else that is switched off is not ours to name', () => {
    const file = '/home/me/p/.gemini/settings.json';
    expect(said('gemini-cli', { [file]: '{"hooksConfig":{"disabled":["lint"]}}' })).toEqual([]);
  });

  it.each(ALL_AGENTS.map((agent) => [agent.adapter.agent, agent] as const))(
    '%s: what `install` writes sets none of its switches',
    (agent) => {
      expect(said(agent, installed(agent))).toEqual([]);
    },
  );

  it.each(ALL_AGENTS.map((agent) => [agent.adapter.agent, agent] as const))(
    '%s: only an agent whose transcripts are read has switches that are seen on tapes',
    (_name, { switches, transcripts }) => {
      const seen = switches.some((one) => one.seen === 'tapes');
      expect(seen && transcripts?.ownSessions === undefined).toBe(false);
    },
  );
});
