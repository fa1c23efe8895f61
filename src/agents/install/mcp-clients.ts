/**
 * Clients of MCP servers: where each keeps the servers it starts, and how one of them looks with the proxy in its place. A table, and
 * two functions that are each other's inverse; everything that touches files is shared with the other installers.
 */
import { isAbsolute, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, sameJson } from '../../base/index.ts';
import { configFile } from '../codex/install.ts';
import { type InstallTarget, isUser, rootOf } from './installer.ts';
import { jsonAt } from './json-edit.ts';
import type { Operation } from './operation.ts';
import { tomlData } from './toml-edit.ts';

export interface McpClient {
  readonly name: string;
  readonly title: string;
  /** Null: it has no file for a project, or none for the user. */
  file(place: InstallTarget): string | null;
  /** The key under which the servers stand. */
  readonly key: string;
  readonly format: 'json' | 'toml';
  /** The key of an address, where it is not `url`. */
  readonly address?: string;
}

const config = ({ home, env }: InstallTarget) => env('XDG_CONFIG_HOME') || join(home, '.config');
const belowProjectOr =
  (project: string | null, user: (place: InstallTarget) => string) => (place: InstallTarget) =>
    isUser(place) ? user(place) : project === null ? null : join(rootOf(place), project);

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: belowProjectOr('.mcp.json', ({ home }) => join(home, '.claude.json')),
    key: 'mcpServers',
    format: 'json',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: belowProjectOr(null, (place) =>
      process.platform === 'darwin'
        ? join(place.home, 'Library/Application Support/Claude/claude_desktop_config.json')
        : join(config(place), 'Claude/claude_desktop_config.json'),
    ),
    key: 'mcpServers',
    format: 'json',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: belowProjectOr('.cursor/mcp.json', ({ home }) => join(home, '.cursor/mcp.json')),
    key: 'mcpServers',
    format: 'json',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: belowProjectOr('.vscode/mcp.json', (place) =>
      process.platform === 'darwin'
        ? join(place.home, 'Library/Application Support/Code/User/mcp.json')
        : join(config(place), 'Code/User/mcp.json'),
    ),
    key: 'servers',
    format: 'json',
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    file: belowProjectOr('.gemini/settings.json', ({ home }) => join(home, '.gemini/settings.json')),
    key: 'mcpServers',
    format: 'json',
    address: 'httpUrl',
  },
  {
    name: 'codex',
    title: 'Codex',
    file: belowProjectOr('.codex/config.toml', configFile),
    key: 'mcp_servers',
    format: 'toml',
  },
];

/** How the proxy is started. */
export interface ProxyStart {
  readonly node: string;
  readonly entry: string;
  /** The folder whose policy holds; null: the one the client stands in. */
  readonly dir: string | null;
}

/** What becomes of the servers of a file. */
export interface Wrapping {
  readonly operations: readonly Operation[];
  readonly wrapped: readonly string[];
  /** Those that stay unguarded, with the reason. */
  readonly left: readonly { readonly server: string; readonly why: string }[];
}

const HEADER = 'HARNESS_MCP_HEADER_';
/** How a client logs in at a server by itself, in its own words. */
const FOREIGN = ['http_headers', 'env_http_headers', 'bearer_token_env_var', 'oauth', 'auth'];
const BY_HAND =
  'By hand: harness mcp --http URL --header-env Authorization=VARIABLE, where the variable holds "Bearer TOKEN"';
const WANTS_LOGIN = `it wants a login (HTTP 401), and a client that starts a program cannot log in through it. Give it a token in its headers and install again. ${BY_HAND}`;

export function serversIn({ key, format }: McpClient, text: string): JsonObject {
  const all = format === 'json' ? jsonAt(text, []) : (tomlData(text) as Json | undefined);
  const found = isJsonObject(all) ? all[key] : undefined;
  return isJsonObject(found) ? found : {};
}

/** Servers of single projects, which stand in the user's file of Claude Code: they are that project's to put behind the proxy. */
function serversElsewhere({ key, format }: McpClient, text: string): { server: string; why: string }[] {
  const projects = format === 'json' ? jsonAt(text, ['projects']) : undefined;
  if (!isJsonObject(projects)) return [];
  return Object.entries(projects).flatMap(([folder, project]) => {
    const servers = isJsonObject(project) ? project[key] : undefined;
    const names = isJsonObject(servers) ? Object.keys(servers) : [];
    return names.map((server) => ({ server, why: `it stands under projects, for ${folder} alone` }));
  });
}

/** The addresses of servers that are shown no token, by server: whoever asks one may learn that it wants a login. */
export function openAddresses(client: McpClient, text: string): ReadonlyMap<string, string> {
  const found = Object.entries(serversIn(client, text)).flatMap(([server, entry]): [string, string][] => {
    const before = isJsonObject(entry) ? (unwrap(client, entry) ?? entry) : {};
    const address = before.httpUrl ?? before.url;
    const isShown = 'headers' in before || FOREIGN.some((key) => key in before);
    return typeof address === 'string' && !isShown ? [[server, address]] : [];
  });
  return new Map(found);
}

/** What is to be changed so that every server of the file stands behind the proxy; those of `logins` want one. */
export function wrapAll(
  client: McpClient,
  text: string,
  start: ProxyStart,
  logins: ReadonlySet<string> = new Set(),
): Wrapping {
  const operations: Operation[] = [];
  const wrapped: string[] = [];
  const left = serversElsewhere(client, text);
  for (const [server, entry] of Object.entries(serversIn(client, text))) {
    const before = isJsonObject(entry) ? (unwrap(client, entry) ?? entry) : null;
    const wanted = before === null ? 'it is no object' : wrap(client, server, before, start);
    const value = typeof wanted !== 'string' && logins.has(server) ? WANTS_LOGIN : wanted;
    if (typeof value === 'string') left.push({ server, why: value });
    else {
      wrapped.push(server);
      operations.push(operationFor(client, server, before!, value));
    }
  }
  return { operations, wrapped, left };
}

/** What stands there of ours, by looking at it. */
export function wrappedIn(client: McpClient, text: string): Operation[] {
  return Object.entries(serversIn(client, text)).flatMap(([server, entry]) => {
    const before = isJsonObject(entry) ? unwrap(client, entry) : null;
    return before === null ? [] : [operationFor(client, server, before, entry as JsonObject)];
  });
}

/** The absolute paths that start the proxy in front of a server; null if none of ours is there. */
export function proxyOf(client: McpClient, entry: Json): readonly string[] | null {
  if (!isJsonObject(entry) || unwrap(client, entry) === null) return null;
  const [cli, , , , option, dir] = entry.args as string[];
  return [entry.command, cli, ...(option === '--dir' ? [dir] : [])].filter(
    (path): path is string => typeof path === 'string' && isAbsolute(path),
  );
}

function operationFor(
  { key, format }: McpClient,
  server: string,
  before: JsonObject,
  value: JsonObject,
): Operation {
  if (format === 'json') return { kind: 'value', path: [key, server], before, value };
  const names = ['command', 'args', 'url'] as const;
  const changed = names.filter((name) => !sameJson(before[name], value[name]));
  return {
    kind: 'toml-values',
    table: [key, server],
    values: changed.map((name) => ({ key: name, before: before[name] ?? null, value: value[name] ?? null })),
  };
}

/** The entry with the proxy in its place, or why there is none. */
function wrap(
  client: McpClient,
  server: string,
  entry: JsonObject,
  { node, entry: cli, dir }: ProxyStart,
): JsonObject | string {
  const front = [
    cli,
    'mcp',
    '--name',
    server.replace(/[^A-Za-z0-9_-]/g, '_'),
    ...(dir === null ? [] : ['--dir', dir]),
  ];
  const { command, args = [], ...rest } = entry;
  if (typeof command === 'string') {
    // The client may take the address, and then nobody judges.
    const other = ['url', 'httpUrl', 'serverUrl'].find((key) => key in rest);
    if (other !== undefined) return `it names a command and an address (${other})`;
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
      return 'its args are no list of texts';
    if ([command, ...args].some((word) => /(?:^|\/)harness(?:-hooks)?$/.test(word)) && args.includes('mcp'))
      return 'it is behind a proxy that somebody put there';
    return { ...rest, command: node, args: [...front, '--', command, ...args] };
  }
  const { type: _type, url, httpUrl, headers, ...others } = entry;
  const address = httpUrl ?? url;
  if (typeof address !== 'string') return 'it names neither a command nor an address';
  const named = Object.entries(isJsonObject(headers) ? headers : {});
  const foreign = FOREIGN.filter((key) => key in entry);
  if (foreign.length > 0) return `its ${foreign.join(', ')} cannot be handed to the proxy. ${BY_HAND}`;
  const env = Object.fromEntries(named.map(([, value], at) => [`${HEADER}${at + 1}`, value]));
  const passed = named.map(([name], at) => `${name}=${HEADER}${at + 1}`).join(',');
  return {
    ...(client.format === 'json' && 'type' in entry && { type: 'stdio' }),
    command: node,
    args: [...front, '--http', address, ...(passed === '' ? [] : ['--header-env', passed])],
    ...others,
    ...(named.length > 0 && { env: { ...(isJsonObject(others.env) ? others.env : {}), ...env } }),
  };
}

/** What stood there before the proxy; null if none of ours is there. */
function unwrap(client: McpClient, entry: JsonObject): JsonObject | null {
  const { command: _node, args, env, type, ...rest } = entry;
  if (!Array.isArray(args) || typeof args[0] !== 'string' || args[1] !== 'mcp' || args[2] !== '--name')
    return null;
  if (!/(?:^|\/)harness\.cjs$/.test(args[0])) return null;
  const kept = { ...rest, ...(env !== undefined && { env }) };
  const at = args.indexOf('--');
  const from = args.indexOf('--http');
  if (at !== -1 && (from === -1 || at < from)) {
    const [command, ...own] = args.slice(at + 1);
    return {
      ...(type !== undefined && { type }),
      command: command!,
      ...(own.length > 0 && { args: own }),
      ...kept,
    };
  }
  if (from === -1) return null;
  const names = args.indexOf('--header-env');
  const pairs =
    names === -1
      ? []
      : String(args[names + 1])
          .split(',')
          .map((pair) => pair.split('=') as [string, string]);
  const variables = isJsonObject(env) ? env : {};
  const headers = Object.fromEntries(pairs.map(([name, variable]) => [name, variables[variable] ?? '']));
  const left = Object.entries(variables).filter(([name]) => !name.startsWith(HEADER));
  return {
    ...(type !== undefined && { type: 'http' }),
    [client.address ?? 'url']: args[from + 1]!,
    ...(pairs.length > 0 && { headers }),
    ...rest,
    ...(left.length > 0 && { env: Object.fromEntries(left) }),
  };
}
