// Every way to switch hooks of the Claude Agent SDK off: those in which it asks no hook of a program either, and those in which it does.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const json = JSON.stringify;
const variable = (name) => ({ env: { [name]: '1' } });
const SIMPLE = variable('CLAUDE_CODE_SIMPLE');
const SAFE = variable('CLAUDE_CODE_SAFE_MODE');

function file(settings) {
  const path = join(mkdtempSync(join(tmpdir(), 'harness-settings-')), 'settings.json');
  writeFileSync(path, json(settings));
  return path;
}

/** `user`, `project` and `local` are files of settings, `env` is beside the rest of the environment; all else are options. */
export const NO_HOOK = {
  'a variable': { env: SIMPLE.env },
  'the flag, for the command': { extraArgs: { bare: null } },
  'the flag, for the runtime': { executableArgs: ['--bare'] },
  'settings as a value': { settings: SIMPLE },
  'settings as JSON': { settings: json(SIMPLE) },
  'settings in a file': { settings: file(SIMPLE) },
  'settings for the command': { extraArgs: { settings: json(SIMPLE) } },
  'settings in a file for the command': { extraArgs: { settings: file(SIMPLE) } },
  'settings for the runtime': { executableArgs: ['--settings', json(SIMPLE)] },
  'settings for the runtime, in one word': { executableArgs: [`--settings=${json(SIMPLE)}`] },
  'settings of the user': { user: SIMPLE, settingSources: ['user'] },
};

export const ASKS_HOOKS = {
  'safe mode by a variable': { env: SAFE.env },
  'safe mode for the command': { extraArgs: { 'safe-mode': null } },
  'safe mode for the runtime': { executableArgs: ['--safe-mode'] },
  'safe mode in settings': { settings: SAFE },
  'no hooks in settings': { settings: { disableAllHooks: true } },
  'no hooks in the settings of the project': {
    project: { disableAllHooks: true, ...SIMPLE },
    settingSources: ['project'],
  },
  'the bare mode in the local settings': { local: SIMPLE, settingSources: ['local'] },
  'no hooks in managed settings': { managedSettings: { disableAllHooks: true, ...SAFE } },
  'only managed hooks': {
    settings: { allowManagedHooksOnly: true },
    managedSettings: { allowManagedHooksOnly: true, strictPluginOnlyCustomization: true },
  },
};

/** Refused although this version does not read it there: policies of a program are not the place for a variable. */
export const REFUSED_TOO = { 'managed settings': { managedSettings: SIMPLE } };

export const OPTIONS_WITH_MODES = ['env', 'executableArgs', 'extraArgs', 'managedSettings', 'settings'];
