// Every switch of an agent that its table names (`src/agents/*/switches.ts`), tried with the real program. `then` says what the table
// promises: `red`: no hook of ours runs, and `doctor` says so; `untaped`: the same, and the session is found on no tape; `unseen`: no
// trace is left; `refused`: the gates that still run refuse, and `doctor` is red; `holds`: hooks run and block, and `doctor` is content;
// `careful`: the same in a run without a person, and `doctor` is red for the other runs; `no start`: the agent itself does not start.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const put = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Keys of a JSON file; one that has comments at its head keeps them. */
const json = (file, more) => ({
  set: ({ root }) => {
    const path = join(root, file);
    const [, head, body] = /^((?:\s*\/\/.*\n)*)([\s\S]*)$/.exec(read(path));
    put(path, head + JSON.stringify({ ...JSON.parse(body || '{}'), ...more }, null, 2));
  },
});
/** Tables that are added to a TOML file, and keys that stand before all tables. */
const toml = (file, tables, keys = '') => ({
  set: ({ root }) => {
    const path = join(root, file);
    const before = read(path);
    const [header] = tables.split('\n');
    // A table is written once.
    const after = before.includes(`${header}\n`)
      ? before.replace(`${header}\n`, `${tables}\n`)
      : `${before}\n${tables}\n`;
    put(path, keys + after);
  },
});
const edit = (file, change) => ({
  set: ({ root }) => {
    const path = join(root, file);
    const before = read(path);
    const after = change(before);
    if (after === before) throw new Error(`${file}: nothing was changed`);
    put(path, after);
  },
});
/** Files of the system, which the run sees in the place of those that are there. */
const system = (file, text) => ({ system: { [file]: text } });
const args = (...words) => ({ args: words });
const env = (name, value = '1') => ({ env: { [name]: value } });

const CLAUDE = 'home/.claude/settings.json';
const CLAUDE_MANAGED = 'claude-code/managed-settings.json';
const CODEX = 'home/.codex/config.toml';
const OFF = '[features]\nhooks = false';
const GEMINI = 'cwd/.gemini/settings.json';
const COPILOT = 'home/.copilot/settings.json';

/** By the name in the agent's table; a second one of the same name stands for another place of it. */
export const SWITCHES = {
  'claude-code': [
    ['disableAllHooks', 'red', json(CLAUDE, { disableAllHooks: true })],
    ['CLAUDE_CODE_SIMPLE', 'red', env('CLAUDE_CODE_SIMPLE')],
    ['CLAUDE_CODE_SAFE_MODE', 'red', env('CLAUDE_CODE_SAFE_MODE')],
    ['env.CLAUDE_CODE_SIMPLE', 'red', json(CLAUDE, { env: { CLAUDE_CODE_SIMPLE: '1' } })],
    ['env.CLAUDE_CODE_SAFE_MODE', 'red', json(CLAUDE, { env: { CLAUDE_CODE_SAFE_MODE: '1' } })],
    ['allowManagedHooksOnly', 'red', system(CLAUDE_MANAGED, '{"allowManagedHooksOnly":true}')],
    [
      'strictPluginOnlyCustomization',
      'red',
      system(CLAUDE_MANAGED, '{"strictPluginOnlyCustomization":["hooks"]}'),
    ],
    ['--bare', 'untaped', args('--bare')],
    ['--safe-mode', 'untaped', args('--safe-mode')],
    ['--settings', 'untaped', args('--settings', '{"disableAllHooks":true}')],
    // What a project is allowed to do stands in its own settings.
    ['--setting-sources', 'untaped', args('--setting-sources', 'user', '--allowedTools', 'Bash')],
    [
      '--dangerously-skip-permissions',
      'holds',
      { ...args('--dangerously-skip-permissions'), ...env('IS_SANDBOX') },
    ],
    [
      'permissions.defaultMode = "bypassPermissions"',
      'holds',
      { ...json(CLAUDE, { permissions: { defaultMode: 'bypassPermissions' } }), ...env('IS_SANDBOX') },
    ],
  ],
  codex: [
    ['features.hooks = false', 'red', toml(CODEX, OFF)],
    ['features.hooks = false', 'red', toml('cwd/.codex/config.toml', OFF)],
    ['features.hooks = false', 'red', system('codex/config.toml', `${OFF}\n`)],
    [
      'hooks.state.….enabled = false',
      'refused',
      edit(CODEX, (all) =>
        all.replace(/(pre_tool_use:\d+:\d+"\]\ntrusted_hash = .*)/, '$1\nenabled = false'),
      ),
    ],
    [
      'allow_managed_hooks_only',
      'red',
      system('codex/requirements.toml', 'allow_managed_hooks_only = true\n'),
    ],
    [
      'features.code_mode = true',
      'holds',
      {
        ...toml(CODEX, '[features]\ncode_mode = true'),
        // Its model writes a program that calls the tools.
        calls: [
          'exec',
          'text((await tools.exec_command({ cmd: "echo ORIGINAL_OUTPUT | tee original.txt" })).output)',
        ],
      },
    ],
    ['profile = …', 'no start', toml(CODEX, '[profiles.q.features]\nhooks = false', 'profile = "q"\n')],
    ['-c features.hooks=false', 'untaped', args('-c', 'features.hooks=false')],
    ['--disable hooks', 'untaped', args('--disable', 'hooks')],
    [
      '--ignore-user-config',
      'untaped',
      // What it knows of its model stands there too.
      {
        args: ({ url }) => [
          '--ignore-user-config',
          ...[
            'model_provider="scripted"',
            'model="gpt-5-codex"',
            'approval_policy="never"',
            'sandbox_mode="danger-full-access"',
            'features.plugins=false',
            'analytics.enabled=false',
            `model_providers.scripted={name="scripted",base_url="${url}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}`,
          ].flatMap((one) => ['-c', one]),
        ],
      },
    ],
    ['--profile', 'untaped', { ...toml('home/.codex/q.config.toml', OFF), ...args('--profile', 'q') }],
    [
      '--dangerously-bypass-approvals-and-sandbox',
      'holds',
      args('--dangerously-bypass-approvals-and-sandbox'),
    ],
    ['--dangerously-bypass-hook-trust', 'holds', args('--dangerously-bypass-hook-trust')],
  ],
  'gemini-cli': [
    ['hooksConfig.enabled = false', 'red', json(GEMINI, { hooksConfig: { enabled: false } })],
    [
      'hooksConfig.enabled = false',
      'red',
      system('gemini-cli/settings.json', '{"hooksConfig":{"enabled":false}}'),
    ],
    ['hooksConfig.disabled', 'refused', json(GEMINI, { hooksConfig: { disabled: ['harness-BeforeTool'] } })],
    ['--yolo', 'holds', {}],
  ],
  'qwen-code': [
    ['disableAllHooks', 'red', json('home/.qwen/settings.json', { disableAllHooks: true })],
    ['disableAllHooks', 'red', system('qwen-code/settings.json', '{"disableAllHooks":true}')],
    ['QWEN_CODE_SIMPLE', 'red', env('QWEN_CODE_SIMPLE')],
    ['--bare', 'unseen', args('--bare')],
    ['--yolo', 'holds', {}],
  ],
  copilot: [
    ['disableAllHooks', 'careful', json(COPILOT, { disableAllHooks: true })],
    ['disableAllHooks', 'red', json('cwd/.github/hooks/harness.json', { disableAllHooks: true })],
    ['disableAllHooks', 'red', json('cwd/.github/copilot/settings.json', { disableAllHooks: true })],
    [
      'allowManagedHooksOnly',
      'red',
      system('github-copilot/managed-settings.json', '{"allowManagedHooksOnly":true}'),
    ],
    ['--allow-all', 'holds', args('--allow-all')],
    ['--yolo', 'holds', args('--yolo')],
    ['--allow-all-tools', 'holds', {}],
  ],
  cline: [['--auto-approve', 'holds', args('--auto-approve', 'true')]],
  opencode: [
    ['OPENCODE_PURE', 'red', env('OPENCODE_PURE')],
    [
      'OPENCODE_DISABLE_PROJECT_CONFIG',
      'red',
      {
        ...env('OPENCODE_DISABLE_PROJECT_CONFIG'),
        // Its model, as a user has it.
        set: ({ root }) => {
          const { plugin: _, ...all } = JSON.parse(read(join(root, 'cwd/opencode.json')));
          put(join(root, 'home/.config/opencode/opencode.json'), JSON.stringify(all));
        },
      },
    ],
    ['--pure', 'unseen', args('--pure')],
  ],
  pi: [
    ['--no-extensions', 'unseen', args('--no-extensions')],
    ['-ne', 'unseen', args('-ne')],
  ],
};

/** With what `install --managed` wrote: a user's own switches, which must not reach it, and those that do. */
export const MANAGED = {
  'claude-code': [
    ['plain', 'holds', {}],
    ['disableAllHooks', 'holds', json(CLAUDE, { disableAllHooks: true })],
    ['--settings', 'holds', args('--settings', '{"disableAllHooks":true}')],
    ['--setting-sources', 'holds', args('--setting-sources', 'user', '--allowedTools', 'Bash')],
    ['CLAUDE_CODE_SIMPLE', 'holds', env('CLAUDE_CODE_SIMPLE')],
    ['CLAUDE_CODE_SAFE_MODE', 'holds', env('CLAUDE_CODE_SAFE_MODE')],
    ['--bare', 'holds', args('--bare')],
    ['--safe-mode', 'holds', args('--safe-mode')],
  ],
  codex: [
    ['plain', 'holds', {}],
    ['features.hooks = false', 'holds', toml(CODEX, OFF)],
    ['-c features.hooks=false', 'holds', args('-c', 'features.hooks=false')],
    ['--disable hooks', 'holds', args('--disable', 'hooks')],
    [
      'hooks.state.….enabled = false',
      'holds',
      toml(CODEX, '[hooks.state."/etc/codex/hooks.json:pre_tool_use:0:0"]\nenabled = false'),
    ],
  ],
  'gemini-cli': [
    ['plain', 'holds', {}],
    ['hooksConfig.enabled = false', 'holds', json(GEMINI, { hooksConfig: { enabled: false } })],
    [
      'hooksConfig.disabled',
      'refused',
      json('home/.gemini/settings.json', { hooksConfig: { disabled: ['harness-BeforeTool'] } }),
    ],
    ['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'red', env('GEMINI_CLI_SYSTEM_SETTINGS_PATH', '/nowhere.json')],
  ],
  'qwen-code': [
    ['plain', 'holds', {}],
    ['disableAllHooks', 'holds', json('home/.qwen/settings.json', { disableAllHooks: true })],
    ['hooks', 'careful', json('home/.qwen/settings.json', { hooks: {} })],
    [
      'hooks',
      'red',
      {
        set: (place) => {
          for (const file of ['home/.qwen/settings.json', 'cwd/.qwen/settings.json'])
            json(file, { hooks: {} }).set(place);
        },
      },
    ],
    ['QWEN_CODE_SYSTEM_SETTINGS_PATH', 'red', env('QWEN_CODE_SYSTEM_SETTINGS_PATH', '/nowhere.json')],
  ],
  copilot: [
    ['plain', 'holds', {}],
    ['disableAllHooks', 'holds', json(COPILOT, { disableAllHooks: true })],
  ],
};

const slug = (name) => name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');

/** The scenarios, each for one agent. */
export function switchScenarios(parts) {
  return [
    ...scenariosOf('switch', SWITCHES, parts),
    ...scenariosOf('managed', MANAGED, { ...parts, managed: true }),
  ];
}

/** One call of a tool that takes a text. */
const programStory = (name, input) => [
  { tool_calls: [{ name, arguments: input }] },
  { text: 'FINAL_ANSWER' },
];

function scenariosOf(kind, tables, { policy, story, ran, refused, told, managed = false }) {
  return Object.entries(tables).flatMap(([agent, rows]) => {
    const seen = new Map();
    return rows.map(([name, then, switched]) => {
      const count = (seen.get(slug(name)) ?? 0) + 1;
      seen.set(slug(name), count);
      const runs = ['red', 'untaped', 'unseen'].includes(then);
      return {
        name: `${kind}-${agent}-${slug(name)}${count === 1 ? '' : `-${count}`}`,
        ...{ agent, policy, switched, managed },
        story: switched.calls === undefined ? story : () => programStory(...switched.calls),
        expect: (recipe) => ({
          ...(runs ? ran : refused),
          ...((then === 'holds' || then === 'careful') && told(recipe, 'HOOK_REASON')),
          ...(then === 'refused' && {
            noted: (notes = []) => notes.some((note) => note.includes('is set, so that')),
          }),
          doctor: ({ status, words } = { status: null, words: '' }) => {
            if (then === 'holds') return status === 0;
            if (then === 'unseen') return status !== null;
            if (then === 'untaped') return status === 1 && words.includes('is on no tape');
            return status === 1 && words.includes(`${name} is set`);
          },
        }),
      };
    });
  });
}

/** Lays the files over those of the system, where namespaces of the run are its own. */
export function overlaySystem(files, root, run) {
  const [upper, work] = ['system', 'system-work'].map((name) => join(root, name));
  for (const folder of [upper, work]) mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) put(join(upper, file), text);
  const options = `lowerdir=/etc,upperdir=${upper},workdir=${work}`;
  const { status, stderr } = run('mount', ['-t', 'overlay', 'overlay', '-o', options, '/etc']);
  if (status !== 0) throw new Error(`the files of the system cannot be laid over: ${stderr}`);
}
