/** How Codex is run without a person against a model on loopback. */
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { isUser, type Place, rootOf } from '../install/installer.ts';
import { tomlData } from '../install/toml-edit.ts';
import { type LiveRecipe, there } from '../live/recipe.ts';
import { jsonPart } from '../live/registration-copy.ts';

const codexHome = (place: Place) => place.env('CODEX_HOME') || join(place.home, '.codex');

export const live: LiveRecipe = {
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
  const parent = at(config, path);
  return Object.keys(isJsonObject(parent) ? parent : {}).flatMap((name) =>
    tableLines(config, [...path, name], ...keys),
  );
}

function tableLines(config: JsonObject, path: readonly string[], ...keys: readonly string[]): string[] {
  const table = at(config, path);
  if (!isJsonObject(table)) return [];
  const lines = keys.flatMap((key) => {
    const value = table[key];
    return typeof value === 'string' || typeof value === 'boolean'
      ? [`${key} = ${JSON.stringify(value)}`]
      : [];
  });
  return lines.length === 0 ? [] : [`[${path.map((name) => JSON.stringify(name)).join('.')}]`, ...lines];
}

function at(config: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = config;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
