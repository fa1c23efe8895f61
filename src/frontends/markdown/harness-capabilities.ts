/**
 * The capabilities that `harness.md` asks for: MCP servers, models with an address or a key of their own, hosts that scripts reach,
 * tokens for tables, and the variables any of them names.
 */
import { COPILOT, type FolderSnapshot, type WrittenModel } from '../../files/index.ts';
import type { Capability } from '../capability.ts';
import { programFiles } from '../capability-files.ts';
import { shellWords } from '../command-line.ts';
import type { HarnessFile } from './harness-file.ts';

/** `${NAME}` in a value that is sent or passed on. */
export const NAMED_VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

export function harnessCapabilities(
  snapshot: FolderSnapshot,
  { artifact, fields }: HarnessFile,
): Capability[] {
  if (fields === null) return [];
  const { dir } = snapshot;
  const { data } = fields;
  const at = (field: 'mcp_servers' | 'model' | 'models' | 'network' | 'data') =>
    `${artifact.path}:${artifact.report.lineOf(fields.offset(field))}`;
  const servers = Object.entries(data.mcp_servers ?? {}).flatMap(([name, server]) => {
    const { command, args = [], cwd, url, env = {}, headers = {} } = server;
    const source = at('mcp_servers');
    const sent = [...Object.entries(env), ...Object.entries(headers)];
    const with_ = sent.map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    const runs =
      command === undefined ? '' : [command, ...args].map((word) => JSON.stringify(word)).join(' ');
    const where = cwd === undefined ? '' : ` in ${cwd}`;
    const what = `${url ?? runs}${where}${with_.length === 0 ? '' : ` with ${with_.join(', ')}`}`;
    const words = command === undefined ? [] : [command, ...args].flatMap(shellWords);
    const files = programFiles(snapshot, dir, words);
    const capability: Capability = { kind: 'server', name, what, source, root: dir, files };
    return [
      capability,
      ...sent.flatMap(([, value]) => variablesIn(value)).map((name) => variable(dir, name, source)),
    ];
  });
  const models = [
    ...(data.model === undefined ? [] : modelCapabilities(dir, 'model', data.model, at('model'))),
    ...Object.entries(data.models ?? {}).flatMap(([name, model]) =>
      modelCapabilities(dir, name, model, at('models')),
    ),
  ];
  const hosts = (data.network?.allowed_domains ?? []).map((domain): Capability => {
    const what = `scripts of this folder may reach ${domain}`;
    return { kind: 'address', what, source: at('network'), root: dir, files: {} };
  });
  const tokens = Object.values(data.data?.tables ?? {}).flatMap(({ token_env: name }) =>
    name === undefined ? [] : [variable(dir, name, at('data'))],
  );
  return [...servers, ...models, ...hosts, ...tokens];
}

function modelCapabilities(dir: string, name: string, written: WrittenModel, source: string): Capability[] {
  if (typeof written === 'string') return [];
  const copilot = written.provider === 'copilot' ? COPILOT : undefined;
  const { base_url: address = copilot?.baseUrl, api_key_env: key = copilot?.apiKeyEnv } = written;
  if (address === undefined && key === undefined) return [];
  const what = `${written.name}${address === undefined ? '' : ` at ${address}`}${key === undefined ? '' : ` with the key in ${key}`}`;
  const capability: Capability = { kind: 'model', name, what, source, root: dir, files: {} };
  return [capability, ...(key === undefined ? [] : [variable(dir, key, source)])];
}

export function variablesIn(value: string): string[] {
  return [...value.matchAll(NAMED_VARIABLE)].map(([, name]) => name!);
}

function variable(dir: string, name: string, source: string): Capability {
  return { kind: 'variable', name, what: name, source, root: dir, files: {} };
}
