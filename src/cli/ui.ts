/**
 * `harness ui`: the page over tapes, policy and daemon, on loopback, until it is interrupted. The link it prints is the key to it.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { startDetached } from '../base/detached-process.ts';
import { machineHost } from '../base/host.ts';
import { readAssets } from '../daemon/page/assets.ts';
import { type Listening, listenForPage } from '../daemon/page/listen.ts';
import { launcher } from './agents-place.ts';
import { type Arguments, type Run, UsageError } from './command.ts';
import { quote, wholeNumber } from './options.ts';
import type { Output } from './output.ts';
import { demandNoAgent, isPersonHere } from './person.ts';
import { foldersHere, runFolders } from './tape/find-tapes.ts';
import { pageRoutes } from './ui/services.ts';

/** Whoever can open the page could answer: only a person who began it at a terminal is known to be one. */
const NOBODY = 'the page was not opened at a terminal; `harness approvals` answers there';
const LARGEST_PORT = 65_535;
const LOOPBACK = '127.0.0.1';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Shorter ones can be guessed. */
const SHORTEST_KEY = 24;

export const run: Run = async (args, output) => {
  const port = wholeNumber(args, 'port', 0) ?? 0;
  if (port > LARGEST_PORT) throw new UsageError(`--port wants a number up to ${LARGEST_PORT}, got ${port}`);
  const { host, token } = addressOf(args);
  const { dir, places } = placesOf(args);
  const readOnly = args.has('read-only');
  // The link answers questions in a person's place: a model must not read it.
  demandNoAgent('ui');
  const mute = readOnly ? 'this page is read-only' : isPersonHere() ? null : NOBODY;
  const interrupted = new Promise<void>((done) => {
    for (const signal of SIGNALS) process.once(signal, () => done());
  });
  const server = await listening(
    listenForPage(
      {
        token,
        readOnly,
        assets: readAssets(join(dirname(launcher().entry), '..', 'web')),
        ...pageRoutes({ dir, places, readOnly, mute }),
      },
      { port, host },
    ),
    port,
  );
  if (args.has('json')) output.line(JSON.stringify({ link: server.link, port: server.port, dir, readOnly }));
  else {
    output.line(`${output.paint('bold', 'The page:')} ${server.link}`);
    output.line(output.paint('dim', 'Only whoever has this link can open it. Ends with Ctrl-C.'));
  }
  if (!args.has('json') && !args.has('no-open') && process.stdout.isTTY === true)
    await openBrowser(server.link, output);
  await interrupted;
  await server.close();
  return 0;
};

async function listening(server: Promise<Listening>, port: number): Promise<Listening> {
  try {
    return await server;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EADDRINUSE' ? `port ${port} is taken; --port 0 takes a free one` : message,
    );
  }
}

/** Beyond loopback only with a key of the person's own: the link then goes over a network. */
function addressOf(args: Arguments): { host: string; token: string } {
  const [host, file] = [args.value('host'), args.value('key')];
  if (host === undefined && file === undefined)
    return { host: LOOPBACK, token: randomBytes(24).toString('base64url') };
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
  return { host, token: key };
}

/** `--dir`: a project, its runs and those of the user. `--runs`: a folder of tapes or a tape, and nothing else. */
function placesOf(args: Arguments): { dir: string; places: () => readonly string[] } {
  const runs = args.value('runs');
  const dir = resolve(args.value('dir') ?? '.');
  for (const path of [dir, ...(runs === undefined ? [] : [runs])]) {
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(`no such file or folder: ${quote(path)}`);
  }
  if (runs === undefined) return { dir, places: () => [...runFolders(dir), ...foldersHere('imports', dir)] };
  const inside = join(resolve(runs), '.harness', 'runs');
  const place = existsSync(inside) ? inside : resolve(runs);
  return { dir, places: () => [place] };
}

async function openBrowser(link: string, output: Output): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const env = machineHost.variables();
  const started = await startDetached({ argv: [program, link], cwd: '/', env, log: '/dev/null' });
  if (typeof started === 'string')
    output.note(`no browser could be opened (${started}); open the link yourself`);
}
