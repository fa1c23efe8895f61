/**
 * What tests of the MCP proxy over HTTP stand on: servers, fronts and clients as real processes, and raw requests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { hookFile, project } from './harness.ts';

export const SUPPORT = join(dirname(fileURLToPath(import.meta.url)), '../support');
export const STDIO = [process.execPath, join(SUPPORT, 'mcp-both-eras.mjs')];

const GUARD = hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      args = payload["args"]
      if args.get("text") == "forbidden":
          return block("not this word")
      if args.get("text") == "rewrite me":
          return modify({"args": {"text": "rewritten"}})
      if args.get("text") == "ask me":
          return ask("is that so?")
      if args.get("uri") == "note://1":
          return block("no notes")
      return allow()`);

const REDACT = hookFile(`event: tool.post
priority: 10
script: |
  def handle(event, payload):
      if "ghp_" in payload["content"]:
          return modify({"content": re.replace("ghp_[A-Za-z0-9]+", "[token]", payload["content"])})
      return allow()`);

export const policy = (more: Readonly<Record<string, string>> = {}) =>
  project({ '.harness/hooks/guard.md': GUARD, '.harness/hooks/redact.md': REDACT, ...more });

/** A lock in which a person accepted methods that are not of the protocol. */
export function accepting(server: string, ...methods: readonly string[]): Record<string, string> {
  const pins = Object.fromEntries(methods.map((method) => [method, { digest: '', description: '' }]));
  const lock = { version: 1, servers: {}, offers: { [server]: { methods: pins } } };
  return { '.harness/mcp.lock': JSON.stringify(lock) };
}

const children: ChildProcess[] = [];
export const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close().catch(() => {})));
});
afterAll(() => {
  for (const child of children) child.kill('SIGTERM');
});

export interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  said(): string;
}

/** Starts it and waits for the address it says. */
export async function start(argv: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const [file, ...args] = argv;
  const child = spawn(file!, args, { stdio: 'pipe', env: { PATH: process.env.PATH ?? '', ...env } });
  children.push(child);
  let said = '';
  const port = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      said += chunk;
      const [, found] = /(?:listening at http:\/\/127\.0\.0\.1:|^)(\d{4,5})\/?\n/m.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout!.on('data', look);
    child.stderr!.on('data', look);
    child.once('exit', () => reject(new Error(said)));
  });
  return { url: `http://127.0.0.1:${port}/`, child, said: () => said };
}

export const httpServer = (kind: string, env = {}) =>
  start([process.execPath, join(SUPPORT, 'mcp-http.mjs'), kind], env);
export const mcp = (dir: string, ...rest: string[]) => [
  process.execPath,
  CLI_FILE,
  'mcp',
  '--name',
  'both',
  '--dir',
  dir,
  ...rest,
];
export const front = (dir: string, ...rest: string[]) => start(mcp(dir, '--listen', '0', ...rest));

export const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

// biome-ignore lint/suspicious/noExplicitAny: a message as it came, held against what is expected of it.
export type Said = { [key: string]: any };

/** A client that writes lines itself; `argv` may be a proxy or a server. */
export function byLine(argv: readonly string[]) {
  const child = spawn(argv[0]!, argv.slice(1), { stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  const lines: string[] = [];
  let [out, notes, ids] = ['', '', 0];
  const waiting: (() => void)[] = [];
  const changed = () => {
    for (const resume of waiting.splice(0)) resume();
  };
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    notes += chunk;
    changed();
  });
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (out + chunk).split('\n');
    out = parts.pop()!;
    lines.push(...parts);
    changed();
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const write = (line: string) => child.stdin!.write(`${line}\n`);
  const answerTo = async (id: number | string): Promise<Said> => {
    const found = () =>
      lines
        .map((line) => JSON.parse(line) as Said)
        .find((said) => said.id === id && said.method === undefined);
    await until(() => found() !== undefined);
    return found()!;
  };
  return {
    lines,
    notes: () => notes,
    until,
    write,
    answerTo,
    ask: (method: string, params: object = {}) => {
      const id = ++ids;
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return answerTo(id);
    },
    close: () =>
      new Promise<void>((resolve) => {
        child.once('close', () => resolve());
        child.stdin!.end();
      }),
  };
}

export type Mode = 'legacy' | 'auto';
export type Where =
  | { readonly argv: readonly string[] }
  | { readonly url: string; readonly headers?: Record<string, string> };

export async function connect(
  mode: Mode,
  where: Where,
  elicit?: (message: string) => object,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: elicit === undefined ? {} : { elicitation: {} }, versionNegotiation: { mode } },
  );
  if (elicit !== undefined)
    client.setRequestHandler('elicitation/create', async (request) => ({
      action: 'accept' as const,
      content: elicit((request.params as { message: string }).message) as Record<string, string | boolean>,
    }));
  if ('url' in where) {
    const { url, headers = {} } = where;
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  } else {
    const [command, ...args] = where.argv;
    await client.connect(new StdioClientTransport({ command: command!, args, stderr: 'ignore' }));
  }
  clients.push(client);
  return client;
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const BOTH = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** `endAfter`: a request that is not answered to its end is left after so long. */
export function raw(
  url: string,
  method: string,
  headers: object,
  body: string,
  endAfter?: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      { method, headers: headers as Record<string, string>, agent: false },
      (response) => {
        let text = '';
        const done = () => resolve({ status: response.statusCode!, headers: response.headers, body: text });
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', done);
        leave = done;
      },
    );
    let leave = () => resolve({ status: 0, headers: {}, body: '' });
    if (endAfter !== undefined)
      setTimeout(() => {
        leave();
        sent.destroy();
      }, endAfter).unref();
    sent.on('error', reject);
    sent.end(body);
  });
}
