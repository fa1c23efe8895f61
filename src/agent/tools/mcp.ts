/**
 * Tools that live in MCP servers, through the official client, which is loaded only when a project names a server. A
 * server that does not answer costs its own tools and no others; `close` ends every process that was started.
 */

import { join } from 'node:path';
import { type ErrorCode, type JsonObject, LONGEST_TIMER_MS } from '../../base/index.ts';
import {
  type Command,
  type Host,
  importModule,
  programEnvironment,
  type Wrapped,
  within,
} from '../../machine/index.ts';
import type { Tool } from '../tool.ts';
import { resultText } from './mcp-result.ts';
import { offeredName } from './tool-name.ts';

export type McpServer = { readonly name: string } & (
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Relative to the workspace. */
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

export interface McpFault {
  readonly server: string;
  readonly code: ErrorCode & ('MCP_FAILED' | 'MCP_MISSING');
  readonly message: string;
}

export interface McpConnections {
  readonly tools: readonly Tool[];
  readonly faults: readonly McpFault[];
  /** Ends the servers that were started. Never rejects; may be called twice. */
  close(): Promise<void>;
}

export interface McpOptions {
  readonly host: Host;
  /** Where servers run that name no folder of their own. */
  readonly workspace: string;
  /** Variables of the host that servers are given beyond the usual ones; `NAME` or `PREFIX_*`. */
  readonly pass?: readonly string[];
  /** Puts walls around a server; absent: it runs with the rights of this process. */
  readonly wrap?: (command: Command) => Promise<Wrapped | { readonly problem: string }>;
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal;
  /** Milliseconds a server may take to start and to list its tools. */
  readonly timeoutMs?: number;
}

const PACKAGE = '@modelcontextprotocol/client';
const CONNECT_MS = 30_000;

export async function connectMcp(
  servers: readonly McpServer[],
  options: McpOptions,
): Promise<McpConnections> {
  if (servers.length === 0) return { tools: [], faults: [], close: async () => {} };
  const sdk = await loadClient();
  if (sdk === null) {
    const message = `the package ${PACKAGE} is not installed: npm install ${PACKAGE}`;
    const faults = servers.map(({ name }) => ({ server: name, code: 'MCP_MISSING' as const, message }));
    return { tools: [], faults, close: async () => {} };
  }
  const connected = await Promise.all(servers.map((server) => connect(sdk, server, options)));
  const taken = new Set<string>();
  const tools: Tool[] = [];
  const faults: McpFault[] = [];
  for (const one of connected) {
    if ('fault' in one) faults.push(one.fault);
    else for (const tool of one.tools) tools.push(offer(one, tool, taken));
  }
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= Promise.allSettled(connected.map((one) => ('end' in one ? one.end() : null))).then(() => {});
    return closing;
  };
  return { tools, faults, close };
}

type Sdk = typeof import('@modelcontextprotocol/client') &
  typeof import('@modelcontextprotocol/client/stdio');
type Client = InstanceType<Sdk['Client']>;
type Listed = Awaited<ReturnType<Client['listTools']>>['tools'][number];

async function loadClient(): Promise<Sdk | null> {
  try {
    const [client, stdio] = await Promise.all([
      importModule<typeof import('@modelcontextprotocol/client')>('@modelcontextprotocol/client'),
      importModule<typeof import('@modelcontextprotocol/client/stdio')>('@modelcontextprotocol/client/stdio'),
    ]);
    return { ...client, ...stdio };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return null;
    throw thrown;
  }
}

interface Connected {
  readonly server: string;
  readonly client: Client;
  readonly tools: readonly Listed[];
  readonly end: () => Promise<void>;
}

async function connect(
  sdk: Sdk,
  server: McpServer,
  options: McpOptions,
): Promise<Connected | { readonly fault: McpFault }> {
  const client = new sdk.Client({ name: 'harness', version: '1' });
  const limits = {
    timeout: options.timeoutMs ?? CONNECT_MS,
    ...(options.signal !== undefined && { signal: options.signal }),
  };
  let line: Line | null = null;
  const end = async () => {
    const closed = client.close().catch(() => {});
    await (line === null ? closed : line.ended());
  };
  try {
    line = await lineTo(sdk, server, options);
    await client.connect(line.transport, limits);
    const { tools } = await client.listTools(undefined, limits);
    return { server: server.name, client, tools, end };
  } catch (thrown) {
    // A server that never answered may still be running.
    await end();
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const tail = line?.said().trim().split('\n').at(-1) ?? '';
    const message = `it gives no tools: ${reason}${tail === '' ? '' : ` (it said: ${tail})`}`;
    return { fault: { server: server.name, code: 'MCP_FAILED', message } };
  }
}

/** The way to a server, and to the process behind it where there is one. */
interface Line {
  readonly transport: Parameters<Client['connect']>[0];
  /** The last it wrote to stderr. */
  readonly said: () => string;
  /** Settles when nothing of the server is left. Called once closing has begun. */
  readonly ended: () => Promise<void>;
}

async function lineTo(
  sdk: Sdk,
  server: McpServer,
  { host, workspace, pass, wrap }: McpOptions,
): Promise<Line> {
  if ('url' in server) {
    const requestInit = { headers: expandAll(server.headers, host) };
    const transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), { requestInit });
    return { transport, said: () => '', ended: async () => {} };
  }
  const given: Command = {
    argv: [server.command, ...server.args],
    env: { ...programEnvironment(host.variables(), pass), ...expandAll(server.env, host) },
    cwd: server.cwd === undefined ? workspace : join(workspace, server.cwd),
  };
  const walled = wrap === undefined ? { ...given, close: () => {} } : await wrap(given);
  if ('problem' in walled) throw new Error(`a sandbox is asked for and cannot be made: ${walled.problem}`);
  const [command = '', ...args] = walled.argv;
  const transport = new sdk.StdioClientTransport({
    command,
    args,
    env: walled.env,
    cwd: given.cwd,
    stderr: 'pipe',
  });
  let tail = '';
  // Read to the end, or the server would come to a halt once the pipe is full.
  transport.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-TAIL_CHARS);
  });
  let pid: number | null = null;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    pid = transport.pid;
    if (pid !== null) track(pid);
  };
  const gone = new Promise<void>((resolve) => {
    transport.onclose = () => {
      if (pid !== null) untrack(pid);
      walled.close();
      resolve();
    };
  });
  return {
    transport,
    said: () => tail,
    ended: () => (pid === null ? Promise.resolve() : endProcess(pid, gone)),
  };
}

/** Kept of what a server writes to stderr: enough to say why it died. */
const TAIL_CHARS = 2000;
/** What a server may take to end by itself once its input has ended, and then once it was asked to. */
const GRACE_MS = 1000;

/** Servers that must not outlive this process, however it ends: a careless one does not notice that nobody is there. */
const live = new Set<number>();

function endLive(): void {
  for (const pid of live) kill(pid, 'SIGKILL');
}

function track(pid: number): void {
  if (live.size === 0) process.on('exit', endLive);
  live.add(pid);
}

function untrack(pid: number): void {
  live.delete(pid);
  if (live.size === 0) process.off('exit', endLive);
}

/** False where the process is gone already. */
function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** The client does not wait for a server whose start failed, so the wait is here. */
async function endProcess(pid: number, gone: Promise<void>): Promise<void> {
  const ended = gone.then(() => true);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if ((await within(GRACE_MS, ended)) || !kill(pid, signal)) return;
  }
  await within(GRACE_MS, ended);
}

/** Secrets stay in the environment: a file names them as `${NAME}`. */
function expandAll(values: Readonly<Record<string, string>>, host: Host): Record<string, string> {
  const expanded: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    expanded[key] = value.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
      const held = host.env(name);
      if (held === undefined)
        throw new Error(`the environment variable ${name}, which ${key} needs, is not set`);
      return held;
    });
  }
  return expanded;
}

function offer({ server, client }: Connected, listed: Listed, taken: Set<string>): Tool {
  const name = offeredName(server, listed.name, taken);
  taken.add(name);
  return {
    name,
    description: listed.description ?? listed.title ?? '',
    parameters: { properties: {}, ...listed.inputSchema } as JsonObject,
    source: server,
    run: async (args, { signal }) => {
      const call = { name: listed.name, arguments: { ...args } };
      // The call ends with its signal; this only keeps the client's own, shorter limit out of the way.
      const result = await client.callTool(call, { signal, timeout: LONGEST_TIMER_MS });
      const text = resultText(result);
      if (result.isError === true)
        throw new Error(
          text === '' ? `the server ${server} says that ${listed.name} failed, and gives no reason` : text,
        );
      return text;
    },
  };
}
