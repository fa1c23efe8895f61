/** How Codex is run without a person against a model on loopback. */
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { isUser, rootOf } from '../install/installer.ts';
import { tomlData } from '../install/toml-edit.ts';
import { type LiveRecipe, presentFiles } from '../live/recipe.ts';
import { jsonPart } from '../live/registration-copy.ts';
import { valueIn } from '../switches.ts';
import { codexHome, configFile } from './install.ts';

export const live: LiveRecipe = {
  call: (cmd) => ({ name: 'exec_command', args: { cmd, yield_time_ms: 3000 } }),
  // With plugins it waits at its end for a network that is not there.
  argv: (prompt) => ['exec', '--json', '--skip-git-repo-check', '-c', 'features.plugins=false', prompt],
  env: () => ({ SCRIPTED_KEY: 'dummy' }),
  files: ({ place, url, textOf }) => {
    const home = codexHome(place);
    const folders = [...new Set([home, isUser(place) ? home : join(rootOf(place), '.codex')])];
    const hooks = folders.map((folder) => jsonPart(join(folder, 'hooks.json'), textOf, 'codex', [], true));
    const config = configFile(place);
    return presentFiles([...hooks, { path: config, text: codexConfig(textOf(config) ?? '', url) }]);
  },
};

/** Which folders and hooks it was told to trust, and whether hooks are on; a model of our own. */
function codexConfig(text: string, url: string): string {
  const config = tomlData(text);
  const tables = isJsonObject(config) ? config : {};
  const lines = [
    'model = "gpt-5-codex"',
    'model_provider = "scripted"',
    'approval_policy = "never"',
    'sandbox_mode = "danger-full-access"',
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = ${JSON.stringify(`${url}/v1`)}`,
    'env_key = "SCRIPTED_KEY"',
    'wire_api = "responses"',
    ...tableLines(tables, ['features'], 'hooks'),
    ...tablesLines(tables, ['hooks', 'state'], 'trusted_hash', 'enabled'),
    ...tablesLines(tables, ['projects'], 'trust_level'),
  ];
  return `${lines.join('\n')}\n`;
}

function tablesLines(config: JsonObject, path: readonly string[], ...keys: readonly string[]): string[] {
  const parent = valueIn(config, path);
  return Object.keys(isJsonObject(parent) ? parent : {}).flatMap((name) =>
    tableLines(config, [...path, name], ...keys),
  );
}

function tableLines(config: JsonObject, path: readonly string[], ...keys: readonly string[]): string[] {
  const table = valueIn(config, path);
  if (!isJsonObject(table)) return [];
  const lines = keys.flatMap((key) => {
    const value = table[key];
    return typeof value === 'string' || typeof value === 'boolean'
      ? [`${key} = ${JSON.stringify(value)}`]
      : [];
  });
  return lines.length === 0 ? [] : [`[${path.map((name) => JSON.stringify(name)).join('.')}]`, ...lines];
}
