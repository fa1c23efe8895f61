/**
 * `harness ui`: the page over tapes, policy and daemon, on loopback. The daemon serves it if one runs; else this process does, until it is
 * interrupted. The link it prints is the key to it; what the browser is started with opens it once.
 */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { launcher } from '../agents/index.ts';
import { machineHost, startDetached } from '../machine/index.ts';
import { askForPage, type MountOptions, mountPage, type PageRequest } from '../page/index.ts';
import {
  type Arguments,
  demandNoAgent,
  isPersonHere,
  type Output,
  quote,
  type Run,
  UsageError,
  wholeNumber,
} from '../terminal/index.ts';

const LARGEST_PORT = 65_535;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Shorter ones can be guessed. */
const SHORTEST_KEY = 24;

interface OpenedPage {
  readonly link: string;
  readonly port: number;
  readonly linkOnce: () => string;
  /** How it ends, for the person. */
  readonly ends: string;
  /** Of the daemon that serves it; null: this one does. */
  readonly daemon: number | null;
  readonly wait: () => Promise<void>;
}

export const run: Run = async (args, output) => {
  const address = addressOf(args);
  const { dir, runs } = shownBy(args);
  // The link answers questions in a person's place: a model must not read it.
  demandNoAgent('ui');
  const wish: PageRequest = { dir, runs, readOnly: args.has('read-only'), person: isPersonHere() };
  const { link, port, linkOnce, ends, daemon, wait } =
    (await fromDaemon(wish, address, output)) ?? (await fromHere(wish, address));
  if (args.has('json')) output.line(JSON.stringify({ link, port, dir, readOnly: wish.readOnly, daemon }));
  else {
    output.line(`${output.paint('bold', 'The page:')} ${link}`);
    output.line(output.paint('dim', `Only a person who has this link can open it. ${ends}`));
  }
  if (!args.has('json') && !args.has('no-open') && process.stdout.isTTY === true)
    await openBrowser(linkOnce(), output);
  await wait();
  return 0;
};

/** Null if there is none, or none that can. An address of one's own is not the daemon's. */
async function fromDaemon(wish: PageRequest, address: Address, output: Output): Promise<OpenedPage | null> {
  if (Object.keys(address).length > 0) return null;
  const page = await askForPage(wish, launcher().entry);
  if (typeof page === 'string') output.note(`the daemon does not serve it: ${page}`);
  if (page === null || typeof page === 'string') return null;
  const { link, once, port, pid } = page;
  const ends = `The daemon (process ${pid}) serves it for as long as it runs.`;
  return { link, port, linkOnce: () => once, ends, daemon: pid, wait: () => Promise.resolve() };
}

async function fromHere(wish: PageRequest, address: Address): Promise<OpenedPage> {
  const interrupted = new Promise<void>((done) => {
    for (const signal of SIGNALS) process.once(signal, () => done());
  });
  try {
    const page = await mountPage(wish, { entry: launcher().entry, ...address });
    const wait = async () => {
      await interrupted;
      await page.close();
    };
    return { ...page, ends: 'Ends with Ctrl-C.', daemon: null, wait };
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EADDRINUSE' ? `port ${address.port} is taken; --port 0 takes a free one` : message,
    );
  }
}

type Address = Pick<MountOptions, 'port' | 'host' | 'token'>;

/** Beyond loopback only with a key of the person's own: the link then goes over a network. */
function addressOf(args: Arguments): Address {
  const port = wholeNumber(args, 'port', 0);
  if (port !== undefined && port > LARGEST_PORT)
    throw new UsageError(`--port wants a number up to ${LARGEST_PORT}, got ${port}`);
  const own = port === undefined || port === 0 ? {} : { port };
  const [host, file] = [args.value('host'), args.value('key')];
  if (host === undefined && file === undefined) return own;
  if (host === undefined || file === undefined)
    throw new UsageError('--host and --key go together: beyond loopback the page wants a key of your own');
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`cannot read the key ${quote(file)}: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (!/^[\w-]+$/.test(key) || key.length < SHORTEST_KEY)
    throw new UsageError(`the key in ${quote(file)} wants at least ${SHORTEST_KEY} letters, digits, - or _`);
  return { ...own, host, token: key };
}

function shownBy(args: Arguments): Pick<PageRequest, 'dir' | 'runs'> {
  const [dir, runs] = [args.value('dir') ?? '.', args.value('runs')];
  for (const path of [dir, ...(runs === undefined ? [] : [runs])]) {
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(`no such file or folder: ${quote(path)}`);
  }
  return { dir: resolve(dir), runs: runs === undefined ? null : resolve(runs) };
}

async function openBrowser(link: string, output: Output): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const env = machineHost.variables();
  const started = await startDetached({ argv: [program, link], cwd: '/', env, log: '/dev/null' });
  if (typeof started === 'string')
    output.note(`no browser could be opened (${started}); open the link yourself`);
}
