/** An agent's own switches that keep hooks from running: each that stands in a file or in the environment is named. */
import { describe, expect, it } from 'vitest';
import { AGENTS, ALL_AGENTS } from '../../src/agents/all-agents.ts';
import type { InstallTarget } from '../../src/agents/install/installer.ts';
import { makeAll } from '../../src/agents/install/operation.ts';
import { registrationsOf } from '../../src/agents/install/registrations.ts';
import { gateSwitches, harmlessSwitchesOn, switchesOn } from '../../src/agents/switches.ts';
import { systemFolder } from '../../src/policy/system-folders.ts';

const load = (name: string) => import(new URL(name, import.meta.url).href);
type Tried = Readonly<Record<string, readonly (readonly [name: string, then: string])[]>>;
const { SWITCHES, MANAGED: FOR_MACHINES } = (await load('../agents/switches.mjs')) as {
  SWITCHES: Tried;
  MANAGED: Tried;
};

const HOME = '/home/me';
const MANAGED: InstallTarget = {
  scope: { user: '/etc/harness' },
  managed: '/',
  home: HOME,
  env: () => undefined,
};
const PROJECT: InstallTarget = { scope: { dir: '/home/me/p' }, home: HOME, env: () => undefined };

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
    ['copilot', '/home/me/.copilot/settings.json', '{"disabledHooks":["af3e"]}', 'disabledHooks'],
    [
      'copilot',
      '/etc/github-copilot/managed-settings.json',
      '{"allowManagedHooksOnly":true}',
      'allowManagedHooksOnly',
    ],
    [
      'codex',
      '/home/me/.codex/config.toml',
      'profile = "q"\n[profiles.q.features]\nhooks = false\n',
      'profile = …',
    ],
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
    ['opencode', 'OPENCODE_DISABLE_PROJECT_CONFIG'],
    ['qwen-code', 'QWEN_CODE_SIMPLE'],
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

  it('opencode: a variable that takes out the configuration of projects does nothing to the plugin of the user', () => {
    const place: InstallTarget = { scope: { user: '/home/me/.config/harness' }, home: HOME, env: () => '1' };
    const words = switchesOn(AGENTS.get('opencode')!, place, () => null);
    expect(words).toEqual([expect.stringContaining('OPENCODE_PURE')]);
  });

  it('codex: a profile that is not chosen, or leaves hooks on, is not named', () => {
    const config = '/home/me/.codex/config.toml';
    const off = '[profiles.q.features]\nhooks = false\n';
    for (const text of [off, `profile = "r"\n${off}`, 'profile = "q"\n[profiles.q]\nmodel = "m"\n'])
      expect(said('codex', { [config]: text })).toEqual([]);
  });

  it('codex: requirements that demand hooks are stronger than settings that switch them off', () => {
    const files = {
      '/home/me/.codex/config.toml': '[features]\nhooks = false\n',
      '/etc/codex/requirements.toml': '[features]\nhooks = true\n',
    };
    expect(said('codex', files)).toEqual([]);
  });

  it.each([
    ['claude-code', '/home/me/.claude/settings.json', '{"permissions":{"defaultMode":"bypassPermissions"}}'],
    ['gemini-cli', '/home/me/.gemini/settings.json', '{"general":{"defaultApprovalMode":"yolo"}}'],
    ['qwen-code', '/home/me/.qwen/settings.json', '{"tools":{"approvalMode":"yolo"}}'],
  ])('%s: a switch that leaves hooks running is a note and no problem (%s)', (agent, file, text) => {
    const textOf = (path: string) => (path === file ? text : null);
    expect(switchesOn(AGENTS.get(agent)!, PROJECT, textOf)).toEqual([]);
    expect(harmlessSwitchesOn(AGENTS.get(agent)!, PROJECT, textOf)).toEqual([
      expect.stringContaining('its own questions are gone'),
    ]);
  });

  it.each([
    ['claude-code', '/home/me/.claude/settings.json', '{"disableAllHooks":true}'],
    ['claude-code', '/etc/claude-code/managed-settings.json', '{"allowManagedHooksOnly":true}'],
    ['codex', '/etc/codex/requirements.toml', 'allow_managed_hooks_only = true\n'],
    ['copilot', '/home/me/.copilot/settings.json', '{"disableAllHooks":true}'],
    ['copilot', '/etc/github-copilot/managed-settings.json', '{"allowManagedHooksOnly":true}'],
  ])(
    '%s: a switch that does not reach hooks of the machine is not named for them (%s)',
    (agent, file, text) => {
      const textOf = (path: string) => (path === file ? text : null);
      expect(switchesOn(AGENTS.get(agent)!, MANAGED, textOf)).toEqual([]);
      expect(switchesOn(AGENTS.get(agent)!, PROJECT, textOf)).toHaveLength(1);
    },
  );

  it('only switches that leave some hooks running are looked for at the gates of a session', () => {
    const some = (agent: string, files: Record<string, string>) =>
      gateSwitches(AGENTS.get(agent)!.switches, PROJECT, (file) => files[file] ?? null);
    const file = '/home/me/p/.gemini/settings.json';
    expect(some('gemini-cli', { [file]: '{"hooksConfig":{"disabled":["harness-BeforeTool"]}}' }).on).toEqual([
      expect.stringContaining('hooksConfig.disabled is set'),
    ]);
    expect(some('gemini-cli', { [file]: '{"hooksConfig":{"enabled":false}}' }).on).toEqual([]);
    expect(some('gemini-cli', {}).files).toContain(file);
    expect(some('claude-code', { '/home/me/.claude/settings.json': '{"disableAllHooks":true}' })).toEqual({
      files: [],
      on: [],
    });
  });

  it.each([
    ['claude-code', 'darwin', '/Library/Application Support/ClaudeCode'],
    ['codex', 'darwin', '/etc/codex'],
    ['gemini-cli', 'darwin', '/Library/Application Support/GeminiCli'],
    ['qwen-code', 'darwin', '/Library/Application Support/QwenCode'],
    ['cursor', 'win32', 'C:/ProgramData/Cursor'],
    ['copilot', 'linux', '/etc/github-copilot'],
    ['codex', 'freebsd', '/etc/codex'],
  ])('the folder of the machine of %s on %s is %s', (agent, system, folder) => {
    expect(systemFolder(agent, system)).toBe(folder);
  });

  it.each(ALL_AGENTS.map((agent) => [agent.adapter.agent, agent] as const))(
    '%s: every switch is tried with the real program, or says that it is known from documentation',
    (name, { switches }) => {
      const tried = new Set(
        [...(SWITCHES[name] ?? []), ...(FOR_MACHINES[name] ?? [])].map(([tested]) => tested),
      );
      tried.delete('plain');
      const known = switches.map(({ name: own }) => own);
      const isTried = name !== 'cursor' && name !== 'goose';
      const untried = switches.filter(({ name: own, documented }) => !tried.has(own) && documented !== true);
      expect(isTried ? untried : []).toEqual([]);
      expect([...tried].filter((one) => !known.includes(one))).toEqual([]);
    },
  );

  it.each(ALL_AGENTS.flatMap((agent) => agent.switches.map((one) => [agent.adapter.agent, one] as const)))(
    '%s: a switch that keeps hooks of ours from running is red, found afterwards, seen while it runs, or said to be unseen: %o',
    (agent, one) => {
      const { leaves = 'none', seen } = one;
      const expected = SWITCHES[agent]?.filter(([name]) => name === one.name).map(([, then]) => then) ?? [];
      const promised = {
        none: { settings: ['red', 'careful', 'no start'], environment: ['red'], tapes: ['untaped'] },
        some: { settings: ['refused'], environment: ['refused'], tapes: ['refused'] },
        all: { settings: ['holds'], environment: ['holds'], tapes: ['holds'] },
      }[leaves];
      const words =
        seen === 'nowhere' ? (leaves === 'all' ? ['holds'] : ['unseen']) : promised[seen as 'settings'];
      expect(expected.filter((then) => !words.includes(then))).toEqual([]);
    },
  );
});
