/**
 * `harness mcp`: a proxy in front of an MCP server. A client starts it in the server's place, or speaks HTTP with it; the policy of
 * the folder judges every call before the server sees it, and every result before the model does.
 */
import { join, resolve } from 'node:path';
import { visible } from '../base/index.ts';
import type { Actor } from '../engine/index.ts';
import { machineHost } from '../machine/index.ts';
import {
  addPins,
  askInQueue,
  type Front,
  LineSplitter,
  lockOf,
  MAX_MESSAGE_BYTES,
  McpProxy,
  nameOf,
  openServer,
  type ProxyOptions,
  pinning,
  pinsIn,
  type ServerSide,
  savePins,
  startFront,
  type Target,
  targetOf,
  walled,
  writeLine,
} from '../mcp/index.ts';
import {
  type Person,
  type Policy,
  queuedApprovals,
  showCall,
  userRunStore,
  waitForAccept,
  watchPolicy,
} from '../policy/index.ts';
import { GovernedSession, openSessionTape, RUNS, recordsFolder } from '../session/index.ts';
import {
  type Arguments,
  actorOption,
  noteMissing,
  noteUntrusted,
  openPolicyAt,
  type Run,
  UsageError,
} from '../terminal/index.ts';

/** How long a person at the client may take. */
const WINDOW_MS = 120_000;

export const run: Run = async (args, output) => {
  const [first, ...rest] = args.positionals;
  if (first === 'lock' || first === 'diff') return pinning(first, targetOf(rest, args), args, output);
  const target = targetOf(args.positionals, args);
  const place = listenOption(args);
  const store = userRunStore(machineHost);
  const policy = await openPolicyAt(args.value('dir') ?? '.', {
    gate: args,
    ...(store !== undefined && { store }),
  });
  noteMissing(policy, output);
  for (const folder of policy.untrusted) noteUntrusted(folder, output);
  const name = nameOf(target, args);
  const note = (text: string) => output.note(`harness mcp ${name}: ${visible(text)}`);
  const { target: inside, close } = await walled(policy, target);
  const open = opener(policy, inside, name, args, note);
  let asking = new AbortController();
  const about = { host: `harness mcp ${name}`, session: `mcp ${name}`, folder: resolve(policy.root) };
  const watch = watchPolicy(policy, {
    accept: 'stricter',
    onChange: ({ held, next, accept }) => {
      asking.abort();
      asking = new AbortController();
      if (held === null) return note('the policy has changed');
      note(`the policy has changed and is not in force: ${held}`);
      const { signal } = asking;
      const waiting = { before: policy, next, reason: held, about, person: null, signal };
      void waitForAccept(waiting, machineHost, (id) => note(`To accept it: harness accept ${id}`)).then(
        (accepted) => {
          if (!accepted) return;
          accept();
          note('a person accepted the change of the policy');
        },
      );
    },
  });
  try {
    return place === null ? await overStdio(open, note) : await overHttp(open, place, args, note);
  } finally {
    await watch.stop();
    asking.abort();
    close();
  }
};

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** From the environment, since everybody may read a command line. */
function tokenOption(args: Arguments, host: string): string | null {
  const variable = args.value('token-env');
  if (variable === undefined) {
    if (LOOPBACK.test(host)) return null;
    throw new UsageError(
      `${host} is reached from other machines: name the variable that holds a token with --token-env`,
    );
  }
  const token = process.env[variable] ?? '';
  if (!/^[\x21-\x7e]{16,}$/.test(token))
    throw new UsageError(`--token-env: the variable ${variable} wants at least 16 visible characters`);
  return token;
}

/** `8080`, or `0.0.0.0:8080` for those who mean it. */
function listenOption(args: Arguments): ListenAddress | null {
  const written = args.value('listen');
  if (written === undefined) return null;
  const [, host = '127.0.0.1', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(written) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new UsageError(`--listen wants a port, or HOST:PORT, got ${JSON.stringify(written)}`);
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return { host: bare, port, token: tokenOption(args, bare) };
}

interface OpenProxy {
  readonly proxy: McpProxy;
  readonly server: ServerSide;
  /** Ends the server and the tape. */
  stop(): Promise<void>;
}

/** One proxy with its server and its session; many of them behind HTTP. */
type Open = (toClient: ProxyOptions['toClient'], onEnd: () => void) => OpenProxy;

function opener(
  policy: Policy,
  target: Target,
  name: string,
  args: Arguments,
  note: (text: string) => void,
): Open {
  const onChange = args.value('on-change') ?? 'hide';
  if (onChange !== 'hide' && onChange !== 'ask')
    throw new UsageError(`--on-change wants hide or ask, got ${JSON.stringify(onChange)}`);
  const actor = actorOption(args, 'as') ?? null;
  // What cannot be read is said before anything is started.
  lockOf(policy);
  return (toClient, onEnd) => {
    // The proxy asks through the client, and is made after what asks.
    const late: { proxy?: McpProxy } = {};
    const session = sessionFor(
      policy,
      name,
      { sign: args.value('sign'), actor },
      async ({ callId, toolName, toolInput, reason }, signal) => {
        // A client shows it once and takes an answer: all of the call has to be there.
        const { whole, warnings } = showCall(toolName, toolInput);
        const question = [visible(reason ?? 'This call needs approval.'), ...whole, ...warnings].join('\n');
        const approved = (await late.proxy?.askClient(callId, question, signal)) ?? null;
        return approved === null ? null : { approved };
      },
      note,
    );
    const lock = lockOf(policy);
    const over = new AbortController();
    const server = openServer(target, () => late.proxy!, onEnd, note);
    const proxy = new McpProxy({
      name,
      session,
      toClient,
      toServer: server.toServer,
      note,
      pins: (kind) => pinsIn(lock, name, kind),
      onPinned: (kind, pins) => savePins(policy, name, kind, pins, note),
      askToAccept: askInQueue(policy, name, over.signal, note),
      onAccepted: (kind, pins) => addPins(policy, name, kind, pins, note),
      onChange,
    });
    late.proxy = proxy;
    const stop = async () => {
      over.abort();
      proxy.clientGone();
      await server.stop();
      await session.close();
    };
    return { proxy, server, stop };
  };
}

/** Until one side goes. 0 if it was the client. */
async function overStdio(open: Open, note: (text: string) => void): Promise<number> {
  let done: (code: number) => void = () => {};
  const over = new Promise<number>((settle) => {
    done = settle;
  });
  let full: Promise<void> | null = null;
  const opened = open(
    (line) => {
      if (writeLine(process.stdout, line) || full !== null) return;
      full = new Promise((drained) => process.stdout.once('drain', drained));
      opened.server.hold(full);
      void full.then(() => {
        full = null;
      });
    },
    // What waits is answered before this process goes.
    () => setImmediate(() => done(1)),
  );
  const fromClient = new LineSplitter(
    (line) => opened.proxy.fromClient(line),
    () => {
      note(`the client sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
      done(1);
    },
  );
  process.stdin.on('data', (chunk: Buffer) => fromClient.push(chunk));
  process.stdin.on('end', () => done(0));
  process.stdout.on('error', () => done(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(0));
  const code = await over;
  await opened.stop();
  // A client that keeps its end open does not keep this program: it would never see that the server is gone.
  process.stdin.destroy();
  return code;
}

/** Until somebody ends it. */
async function overHttp(
  open: Open,
  { host, port, token }: ListenAddress,
  args: Arguments,
  note: (text: string) => void,
): Promise<number> {
  const asked = (args.value('allow-host') ?? '').split(',').filter((name) => name !== '');
  let front: Front;
  try {
    front = await startFront({
      host,
      port,
      names: [...asked, host],
      token,
      note,
      open: (toClient, onEnd) => {
        const { proxy, server, stop } = open(toClient, onEnd);
        return { proxy, remote: server.remote, stop };
      },
    });
  } catch (error) {
    throw new UsageError(`cannot listen at ${host}:${port}: ${(error as Error).message}`);
  }
  note(`listening at ${front.url}`);
  await new Promise<void>((settle) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => settle());
  });
  await front.close();
  return 0;
}

function sessionFor(
  policy: Policy,
  name: string,
  { sign, actor }: { readonly sign: string | undefined; readonly actor: Actor | null },
  person: Person,
  note: (text: string) => void,
): GovernedSession {
  const session = machineHost.uuid();
  const root = resolve(policy.root);
  const firedBy = `harness mcp ${name}`;
  const about = { host: firedBy, session, folder: root };
  return new GovernedSession({
    policy,
    approvals: queuedApprovals({ about, person, asking: policy.settings.asking, note }),
    approvalMs: WINDOW_MS,
    // The server is started here, so that its relative paths count from here.
    info: { id: session, actor, cwd: process.cwd() },
    openTape: () => {
      const target = join(recordsFolder(root, RUNS), `mcp-${name}-${session}.jsonl`);
      return openSessionTape(policy, { session, target, firedBy, sign, host: machineHost });
    },
  });
}
