/**
 * Which server the proxy stands in front of: a program, or one behind HTTP; and under which name policies know it.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { basename, resolve } from 'node:path';
import { HarnessError } from '../base/index.ts';
import { judgeSecureUrl, startDuplex } from '../machine/index.ts';
import type { Policy } from '../policy/index.ts';
import { type Arguments, UsageError } from '../terminal/index.ts';
import { LineSplitter, MAX_MESSAGE_BYTES } from './lines.ts';
import type { McpProxy, ProxyOptions } from './proxy.ts';
import { Remote } from './remote.ts';

export type Target =
  /** With the variables it is given; absent: ours. */
  | { readonly argv: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: URL; readonly headers: OutgoingHttpHeaders };

export function targetOf(argv: readonly string[], args: Arguments): Target {
  const http = args.value('http');
  if (http === undefined) {
    if (argv.length === 0)
      throw new UsageError('mcp needs a server: harness mcp -- CMD …, or harness mcp --http URL');
    return { argv };
  }
  if (argv.length > 0)
    throw new UsageError('mcp stands in front of one server: a command or --http, not both');
  const judged = judgeSecureUrl(http, 'https://mcp.example.com/mcp');
  if (!judged.ok) throw new UsageError(`--http: ${judged.message}`);
  return { url: judged.url, headers: headersOf(args.value('header-env')) };
}

/** The same in the sandbox of the policy, if that has one and the server is a program; `close` when no server is left. */
export async function walled(policy: Policy, target: Target): Promise<{ target: Target; close(): void }> {
  if ('url' in target) return { target, close: () => {} };
  const env = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const given = { argv: target.argv, cwd: process.cwd(), env: Object.fromEntries(env) };
  const wrapped = await policy.wrapped(resolve(policy.root), given);
  if ('problem' in wrapped) throw new HarnessError('SANDBOX_UNAVAILABLE', wrapped.problem);
  return { target: { argv: wrapped.argv, env: wrapped.env }, close: wrapped.close };
}

/** `Authorization=TOKEN`: values come from the environment, since everybody may read a command line. */
function headersOf(written: string | undefined): OutgoingHttpHeaders {
  const pairs = (written ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, variable] = /^\s*([!#$%&'*+\-.^_`|~\w]+)=(\w+)\s*$/.exec(pair) ?? [];
      if (name === undefined || variable === undefined)
        throw new UsageError(`--header-env wants NAME=VARIABLE,…, got ${JSON.stringify(pair)}`);
      const value = process.env[variable];
      if (value === undefined || /[\r\n\0]/.test(value))
        throw new UsageError(
          `--header-env: the variable ${variable} ${value === undefined ? 'is not set' : 'holds what no header can'}`,
        );
      return [name.toLowerCase(), value];
    }),
  );
}

export function nameOf(target: Target, args: Arguments): string {
  const last = 'url' in target ? target.url.hostname : (target.argv.at(-1) ?? 'server');
  const name = args.value('name') ?? basename(last).replace(/\.[cm]?[jt]s$/, '');
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (args.value('name') !== undefined && clean !== name)
    throw new UsageError(`--name wants letters, digits, _ and -, got ${JSON.stringify(name)}`);
  return clean;
}

/** The far side of a proxy: what it is told, and how it ends. */
export interface ServerSide {
  readonly toServer: ProxyOptions['toServer'];
  readonly remote: Remote | null;
  /** No more is read until `ready`: nobody takes what it says. */
  hold(ready: Promise<void>): void;
  stop(): Promise<void>;
}

/** What a server says goes to the proxy, which is made after this; `onEnd` is told how it ended, as the rest of a sentence. */
export function openServer(
  target: Target,
  proxy: () => Pick<McpProxy, 'fromServer' | 'fail' | 'has' | 'end'>,
  onEnd: (how: string) => void,
  note: (text: string) => void,
): ServerSide {
  let over = false;
  const ended = (how: string) => {
    if (over) return;
    over = true;
    proxy().end(how);
    note(`the server ${how}`);
    onEnd(how);
  };
  if ('url' in target) {
    const remote = new Remote({
      ...target,
      onMessage: (line, route) => proxy().fromServer(line, route),
      isOpen: (id) => proxy().has(id),
      fail: (id, why) => proxy().fail(id, why),
      onEnd: ended,
      note,
    });
    return {
      remote,
      toServer: (...sent) => remote.send(...sent),
      hold: () => {},
      stop: () => remote.close(),
    };
  }
  const server = startDuplex({ argv: target.argv, cwd: process.cwd(), env: target.env ?? process.env });
  const splitter = new LineSplitter(
    (line) => void proxy().fromServer(line),
    () => {
      ended(`sent a message of more than ${MAX_MESSAGE_BYTES} bytes and is stopped`);
      void server.stop();
    },
  );
  server.output.on('data', (chunk: Buffer) => splitter.push(chunk));
  void server.ended.then(ended);
  return {
    remote: null,
    toServer: (line) => writeLine(server.input, line),
    hold: (ready) => {
      server.output.pause();
      void ready.then(() => server.output.resume());
    },
    stop: () => server.stop(),
  };
}

const NEW_LINE = Buffer.from('\n');

/** False if the other side does not keep up. */
export function writeLine(stream: NodeJS.WritableStream, line: Buffer | string): boolean {
  return stream.write(typeof line === 'string' ? `${line}\n` : Buffer.concat([flat(line), NEW_LINE]));
}

/** A message that came over HTTP may have line ends between its parts. */
function flat(line: Buffer): Buffer {
  if (!line.includes(0x0a)) return line;
  return Buffer.from(line.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}
