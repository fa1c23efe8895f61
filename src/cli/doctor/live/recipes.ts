/**
 * How each agent is run without a person against a model on loopback, and which of its files come along: what `install` wrote,
 * what the agent was told to trust, what switches hooks off. Nothing else of the user: no keys, no other hooks, no servers.
 */
import { join } from 'node:path';
import { isUser, type Place, type ReadText, rootOf } from '../../../adapters/install/installer.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { codexConfig, jsonPart, listOf, oursOf } from './registration-copy.ts';

export interface LiveFile {
  readonly path: string;
  readonly text: string;
  /** It registers our hooks: a run that is to show what the agent does without them leaves it out. */
  readonly registers?: boolean;
}

export interface LivePlace {
  readonly place: Place;
  /** Where the agent is started. */
  readonly cwd: string;
  /** Of the scripted model. */
  readonly url: string;
  readonly textOf: ReadText;
}

export interface LiveRecipe {
  /** The call that the model makes: one command in the agent's shell. */
  call(command: string): { readonly name: string; readonly args: JsonObject };
  /** After the program. */
  argv(prompt: string, live: LivePlace): readonly string[];
  env(url: string): Readonly<Record<string, string>>;
  files(live: LivePlace): readonly LiveFile[];
  /** Folders of the user that it cannot do without, seen but not copied. */
  keeps?(place: Place): readonly string[];
  /** A refused call ends its run: the model is never told. */
  readonly refusalEndsRun?: true;
}

/** The files of a list, as far as there is something in them. */
const there = (files: readonly (LiveFile | null)[]) => files.filter((file) => file !== null);

const claudeHome = (place: Place) => place.env('CLAUDE_CONFIG_DIR') || join(place.home, '.claude');

const claudeCode: LiveRecipe = {
  call: (command) => ({ name: 'Bash', args: { command, description: 'A harmless check' } }),
  argv: (prompt) => ['-p', prompt, '--output-format', 'json', '--max-turns', '5', '--allowedTools', 'Bash'],
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_MODEL: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }),
  files: ({ place, cwd, textOf }) => {
    const folders = [...new Set([claudeHome(place), join(rootOf(place), '.claude')])];
    const settings = folders.flatMap((folder) =>
      ['settings.json', 'settings.local.json'].map((name) =>
        jsonPart(join(folder, name), textOf, 'claude-code', [['disableAllHooks']]),
      ),
    );
    const own = join(place.env('CLAUDE_CONFIG_DIR') || place.home, '.claude.json');
    const accepted = jsonAtOwn(textOf(own), ['projects', cwd, 'hasTrustDialogAccepted']);
    const projects = { [cwd]: { hasTrustDialogAccepted: accepted === true } };
    return there([...settings, { path: own, text: json({ hasCompletedOnboarding: true, projects }) }]);
  },
};

const codexHome = (place: Place) => place.env('CODEX_HOME') || join(place.home, '.codex');

const codex: LiveRecipe = {
  call: (cmd) => ({ name: 'exec_command', args: { cmd, yield_time_ms: 3000 } }),
  // With plugins it waits at its end for a network that is not there.
  argv: (prompt) => ['exec', '--json', '--skip-git-repo-check', '-c', 'features.plugins=false', prompt],
  env: () => ({ SCRIPTED_KEY: 'dummy' }),
  files: ({ place, url, textOf }) => {
    const home = codexHome(place);
    const folders = [...new Set([home, isUser(place) ? home : join(rootOf(place), '.codex')])];
    const hooks = folders.map((folder) => jsonPart(join(folder, 'hooks.json'), textOf, 'codex', [], true));
    const config = join(home, 'config.toml');
    return there([...hooks, { path: config, text: codexConfig(textOf(config) ?? '', url) }]);
  },
};

/** Gemini CLI and Qwen Code, which grew out of it. */
function settingsRecipe(agent: string, folder: string, auth: string): Pick<LiveRecipe, 'files' | 'call'> {
  const kept = [['hooksConfig'], ['disableAllHooks'], ['security', 'folderTrust']];
  return {
    call: (command) => ({
      name: 'run_shell_command',
      args: {
        command,
        description: 'A harmless check',
        ...(agent === 'qwen-code' && { is_background: false }),
      },
    }),
    files: ({ place, textOf }) => {
      const user = join(place.home, folder, 'settings.json');
      const project = join(rootOf(place), folder, 'settings.json');
      const more = {
        security: { auth: { selectedType: auth } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      };
      const trusted = join(place.home, folder, 'trustedFolders.json');
      const trustedText = textOf(trusted);
      return there([
        jsonPart(user, textOf, agent, kept, false, more) ?? { path: user, text: json(more) },
        user === project ? null : jsonPart(project, textOf, agent, kept),
        trustedText === null ? null : { path: trusted, text: trustedText },
      ]);
    },
  };
}

const geminiCli: LiveRecipe = {
  ...settingsRecipe('gemini-cli', '.gemini', 'gemini-api-key'),
  argv: (prompt) => ['-p', prompt, '--yolo', '--output-format', 'json', '-m', 'gemini-2.5-flash'],
  env: (url) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' }),
};

const qwenCode: LiveRecipe = {
  ...settingsRecipe('qwen-code', '.qwen', 'openai'),
  argv: (prompt) => ['-p', prompt, '--yolo', '--output-format', 'json'],
  env: (url) => ({
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'scripted',
    QWEN_CODE_NO_RELAUNCH: '1',
  }),
};

const copilotHome = (place: Place) => place.env('COPILOT_HOME') || join(place.home, '.copilot');

const copilot: LiveRecipe = {
  call: (command) => ({
    name: 'bash',
    args: { command, description: 'A harmless check', initial_wait: 5, mode: 'sync' },
  }),
  argv: (prompt) => ['-p', prompt, '--allow-all-tools', '--no-auto-update', '--output-format', 'json'],
  env: (url) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'scripted',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  files: ({ place, textOf }) => {
    const home = copilotHome(place);
    const folder = isUser(place) ? home : join(rootOf(place), '.github');
    return there([
      jsonPart(join(folder, 'hooks', 'harness.json'), textOf, 'copilot', [['version'], ['disableAllHooks']]),
      jsonPart(join(home, 'config.json'), textOf, 'copilot', [['trustedFolders'], ['trusted_folders']]),
      jsonPart(join(home, 'settings.json'), textOf, 'copilot', [['disableAllHooks']]),
    ]);
  },
};

const cline: LiveRecipe = {
  refusalEndsRun: true,
  call: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
  argv: (prompt, { cwd }) => [
    ...['--json', '-t', '50', '-c', cwd, '-P', 'openai-compatible', '-m', 'scripted', prompt],
  ],
  env: () => ({ CLINE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', CLINE_NO_AUTO_UPDATE: '1' }),
  files: ({ place, url, textOf }) => {
    const settings = {
      ...{ provider: 'openai-compatible', apiKey: 'dummy', model: 'scripted' },
      baseUrl: `${url}/v1`,
    };
    const provider = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' };
    const providers = { 'openai-compatible': provider };
    const file = join(place.home, '.cline', 'data', 'settings', 'providers.json');
    return [
      ...oursOf('cline', place, textOf),
      {
        path: file,
        text: json({ version: 1, lastUsedProvider: 'openai-compatible', modes: {}, providers }),
      },
    ];
  },
};

const openCodeConfig = (place: Place) =>
  join(place.env('XDG_CONFIG_HOME') || join(place.home, '.config'), 'opencode');

const opencode: LiveRecipe = {
  call: (command) => ({ name: 'bash', args: { command, description: 'A harmless check' } }),
  argv: (prompt) => ['run', prompt, '--format', 'json'],
  env: (url) => ({
    OPENCODE_CONFIG_CONTENT: json(openCodeSettings(url)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  files: ({ place, textOf }) => {
    const names = ['opencode.json', 'opencode.jsonc'].map((name) => join(rootOf(place), name));
    const named = names.map((file) =>
      listOf(file, textOf, 'plugin', (item) => item.includes('/.harness-guard/opencode.js')),
    );
    // It would install its own package there when it starts, and wait for a network that is not there.
    const packages = ['package.json', 'package-lock.json', 'bun.lock'].map((name) => {
      const path = join(openCodeConfig(place), name);
      const text = textOf(path);
      return text === null ? null : { path, text };
    });
    // Otherwise it reads the list of all models there are, which takes longer than all the rest.
    const cache = place.env('XDG_CACHE_HOME') || join(place.home, '.cache');
    const models = { path: join(cache, 'opencode', 'models.json'), text: '{}' };
    return there([
      ...oursOf('opencode', place, textOf),
      ...(isUser(place) ? [] : named),
      ...packages,
      models,
    ]);
  },
  keeps: (place) => [join(openCodeConfig(place), 'node_modules')],
};

function openCodeSettings(url: string): JsonObject {
  const models = {
    scripted: { name: 'scripted', tool_call: true, limit: { context: 100_000, output: 4000 } },
  };
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    permission: { bash: 'allow' },
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'scripted',
        options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
        models,
      },
    },
  };
}

const pi: LiveRecipe = {
  call: (command) => ({ name: 'bash', args: { command } }),
  argv: (prompt) => [
    ...['-p', '--mode', 'json', '--offline', '--no-session', '--provider', 'scripted', '--model', 'scripted'],
    prompt,
  ],
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  files: ({ place, url, textOf }) => {
    const folder = place.env('PI_CODING_AGENT_DIR') || join(place.home, '.pi', 'agent');
    const scripted = {
      ...{ baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'dummy' },
      models: [{ id: 'scripted' }],
    };
    return [
      ...oursOf('pi', place, textOf),
      { path: join(folder, 'models.json'), text: json({ providers: { scripted } }) },
    ];
  },
};

export const LIVE_RECIPES: Readonly<Record<string, LiveRecipe>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  'qwen-code': qwenCode,
  copilot,
  cline,
  opencode,
  pi,
};

function json(value: Json): string {
  return JSON.stringify(value);
}

function jsonAtOwn(text: string | null, path: readonly string[]): Json | undefined {
  let value: Json | undefined;
  try {
    value = JSON.parse(text ?? 'null') as Json;
  } catch {
    return undefined;
  }
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
