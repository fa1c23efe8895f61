/**
 * `harness mcp`: a proxy in front of an MCP server. A client starts it in the server's place; the policy of the folder judges
 * every call before the server sees it, and every result before the model does.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Judge, openJudge } from '../adapters/judge.ts';
import { LineSplitter, MAX_MESSAGE_BYTES } from '../adapters/mcp/lines.ts';
import { EMPTY_LOCK, type Lock, lockChanges, type Pin, readLock, writeLock } from '../adapters/mcp/pins.ts';
import { McpProxy } from '../adapters/mcp/proxy.ts';
import { type DuplexProcess, startDuplex } from '../base/duplex-process.ts';
import { machineHost } from '../base/host.ts';
import { ownFolder } from '../base/own-file.ts';
import { visible } from '../base/visible.ts';
import type { Approvals } from '../hooks/approvals.ts';
import type { Actor } from '../hooks/who.ts';
import { showCall } from '../policy/approvals/show-call.ts';
import type { Policy } from '../policy/open-policy.ts';
import { userRunStore } from '../policy/stores/user-run-store.ts';
import { watchPolicy } from '../policy/watch.ts';
import { openTape } from '../tape/open-tape.ts';
import { tapeOptions } from '../tape/policy-tape.ts';
import { actorOption } from './actor.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { readServerPins } from './mcp/server-pins.ts';
import type { Output } from './output.ts';
import { noteMissing, openPolicyAt } from './project-dir.ts';
import { noteUntrusted } from './trusting.ts';

/** Put in by the build. */
declare const HARNESS_VERSION: string;

const LOCK_FILE = join('.harness', 'mcp.lock');
/** How long a person at the client may take. */
const WINDOW_MS = 120_000;

export const run: Run = async (args, output) => {
  const [first, ...rest] = args.positionals;
  if (first === 'lock' || first === 'diff') return pinning(first, rest, args, output);
  if (args.positionals.length === 0)
    throw new UsageError('mcp needs the command of a server: harness mcp -- CMD …');
  const store = userRunStore(machineHost);
  const policy = await openPolicyAt(args.value('dir') ?? '.', {
    gate: args,
    ...(store !== undefined && { store }),
  });
  noteMissing(policy, output);
  for (const folder of policy.untrusted) noteUntrusted(folder, output);
  return proxy(policy, args.positionals, args, output);
};

function nameOf(argv: readonly string[], args: Arguments): string {
  const name = args.value('name') ?? basename(argv.at(-1) ?? 'server').replace(/\.[cm]?[jt]s$/, '');
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (args.value('name') !== undefined && clean !== name)
    throw new UsageError(`--name wants letters, digits, _ and -, got ${JSON.stringify(name)}`);
  return clean;
}

async function proxy(
  policy: Policy,
  argv: readonly string[],
  args: Arguments,
  output: Output,
): Promise<number> {
  const name = nameOf(argv, args);
  const onChange = args.value('on-change') ?? 'hide';
  if (onChange !== 'hide' && onChange !== 'ask')
    throw new UsageError(`--on-change wants hide or ask, got ${JSON.stringify(onChange)}`);
  const actor = actorOption(args, 'as') ?? null;
  const lock = lockOf(policy);
  const note = (text: string) => output.note(`harness mcp ${name}: ${text}`);
  const server = startDuplex({ argv, cwd: process.cwd(), env: process.env });
  // The proxy asks through the client, and is made after what asks.
  const late: { proxy?: McpProxy } = {};
  const judge = judgeFor(
    policy,
    name,
    { sign: args.value('sign'), actor },
    {
      request: async ({ toolName, toolInput, reason }, signal) => {
        // A client shows it once and takes an answer: all of the call has to be there.
        const { whole, warnings } = showCall(toolName, toolInput);
        const question = [visible(reason ?? 'This call needs approval.'), ...whole, ...warnings].join('\n');
        const approved = (await late.proxy?.askClient(question, signal)) ?? null;
        return approved === null
          ? { approved: false, reason: `${reason ?? 'it needs approval'} (the client cannot ask anybody)` }
          : { approved };
      },
    },
  );
  const proxy = new McpProxy({
    name,
    judge,
    toClient: (line) => send(process.stdout, line),
    toServer: (line) => send(server.input, line),
    note,
    pins: lock.servers[name] ?? null,
    onPinned: (pins) => savePins(policy, name, pins, note),
    onChange,
  });
  late.proxy = proxy;
  const watch = watchPolicy(policy, {
    onChange: ({ held }) =>
      note(held === null ? 'the policy has changed' : `the policy has changed and is not in force: ${held}`),
  });
  try {
    return await serve(proxy, server, note);
  } finally {
    watch.stop();
    await server.stop();
    await judge.close();
  }
}

/** Until one side goes. 0 if it was the client. */
async function serve(proxy: McpProxy, server: DuplexProcess, note: (text: string) => void): Promise<number> {
  const tooLong = `sent a message of more than ${MAX_MESSAGE_BYTES} bytes`;
  return new Promise((done) => {
    const fromServer = new LineSplitter(
      (line) => proxy.fromServer(line),
      () => {
        proxy.end(tooLong);
        note(`the server ${tooLong} and is stopped`);
        done(1);
      },
    );
    const fromClient = new LineSplitter(
      (line) => proxy.fromClient(line),
      () => {
        note(`the client ${tooLong}`);
        done(1);
      },
    );
    server.output.on('data', (chunk: Buffer) => fromServer.push(chunk));
    process.stdin.on('data', (chunk: Buffer) => fromClient.push(chunk));
    process.stdin.on('end', () => done(0));
    process.stdout.on('error', () => done(0));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(0));
    void server.ended.then((how) => {
      proxy.end(how);
      note(`the server ${how}`);
      // What waits is answered before this process goes.
      setImmediate(() => done(1));
    });
  });
}

function send(stream: NodeJS.WritableStream, line: Buffer | string): void {
  if (typeof line === 'string') stream.write(`${line}\n`);
  else stream.write(Buffer.concat([line, NEW_LINE]));
}

const NEW_LINE = Buffer.from('\n');

function judgeFor(
  policy: Policy,
  name: string,
  { sign, actor }: { readonly sign: string | undefined; readonly actor: Actor | null },
  approvals: Approvals,
): Judge {
  const { tape } = policy.settings;
  const session = machineHost.uuid();
  const folder = join(resolve(policy.root), '.harness', 'runs');
  return openJudge({
    policy,
    approvals,
    windowMs: WINDOW_MS,
    session: { id: session, actor },
    openTape: () => {
      ownFolder(resolve(policy.root), join('.harness', 'runs'));
      return openTape(join(folder, `mcp-${name}-${session}.jsonl`), {
        session,
        hooks: policy.hooks,
        policy: policy.digest,
        host: machineHost,
        engine: `harness-hooks ${HARNESS_VERSION}`,
        firedBy: `harness mcp ${name}`,
        ...tapeOptions(tape, sign),
      });
    },
  });
}

function lockOf(policy: Policy): Lock {
  const path = join(policy.root, LOCK_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY_LOCK;
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
  const lock = readLock(text);
  // A lock that cannot be read pins nothing, and must not look like one that was never made.
  if (lock === null)
    throw new UsageError(`${path} is no lock file of this program; mend it, or take it away to pin anew`);
  return lock;
}

function savePins(
  policy: Policy,
  name: string,
  pins: Readonly<Record<string, Pin>>,
  note: (text: string) => void,
): void {
  const path = join(policy.root, LOCK_FILE);
  const lock = lockOf(policy);
  const next: Lock = { version: 1, servers: { ...lock.servers, [name]: pins } };
  try {
    mkdirSync(join(policy.root, '.harness'), { recursive: true });
    const beside = `${path}.${process.pid}`;
    writeFileSync(beside, writeLock(next), { flag: 'wx' });
    renameSync(beside, path);
    note(`pinned ${Object.keys(pins).length} tools in ${LOCK_FILE}`);
  } catch (error) {
    note(`the tools cannot be pinned beyond this session: ${(error as Error).message}`);
  }
}

/** `harness mcp lock` pins what the server offers now; `diff` shows what has changed since it was pinned. */
async function pinning(
  what: 'lock' | 'diff',
  argv: readonly string[],
  args: Arguments,
  output: Output,
): Promise<number> {
  if (argv.length === 0)
    throw new UsageError(`mcp ${what} needs the command of a server: harness mcp ${what} -- CMD …`);
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const name = nameOf(argv, args);
  const now = await readServerPins(argv);
  if (typeof now === 'string') {
    output.note(`${output.paintNote('red', 'error')}: ${now}`);
    return 1;
  }
  const before = lockOf(policy).servers[name];
  const changes = lockChanges(before ?? {}, now);
  if (what === 'lock') savePins(policy, name, now, () => {});
  if (args.has('json'))
    output.line(
      JSON.stringify({ server: name, pinned: before !== undefined, tools: Object.keys(now), changes }),
    );
  else if (changes.length === 0) output.line(`${Object.keys(now).length} tools, as pinned`);
  for (const { tool, change, before: was, after } of args.has('json') ? [] : changes) {
    output.line(`${output.paint(change === 'new' ? 'yellow' : 'red', change.padEnd(7))}  ${tool}`);
    if (was !== null) output.line(output.paint('red', `  - ${was}`));
    if (after !== null) output.line(output.paint('green', `  + ${after}`));
  }
  return what === 'diff' && changes.length > 0 ? 1 : 0;
}
