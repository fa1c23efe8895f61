/**
 * The daemon itself: one process a user, held by a lock. It ends when it is told to, when nothing was asked for a while, and as
 * soon as another build stands in its place.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { heartbeat, type UnjudgedSession } from '../../agents/index.ts';
import { machineHost, reuseLockFiles, tryLock } from '../../machine/index.ts';
import { openFolder, removeOrphanedSessions } from '../../policy/index.ts';
import { entryIdentity } from './entry-identity.ts';
import { httpRoutes } from './http-routes.ts';
import { type HttpAnswer, type OpenHttp, serveHttp } from './http-server.ts';
import { daemonLock, openSocketFolder } from './place.ts';
import type { Request } from './protocol.ts';
import type { DaemonState } from './reach.ts';
import { DaemonServer } from './server.ts';
import { WarmDecider } from './warm-decider.ts';

/** Put in by the build. */
declare const HARNESS_VERSION: string;
declare const HARNESS_BUILD: string;

export interface ServeOptions {
  readonly folder: string;
  /** The launcher's entry beside this command. */
  readonly entry: string;
  readonly idleMs: number;
  /** How often transcripts of agents are compared with tapes. */
  readonly beatMs: number;
  /** The port on loopback; null: none. */
  readonly http: number | null;
  /** Loads the page's server when it is first asked for; the daemon itself knows nothing of pages. */
  readonly openPages: (entry: string, identity: string, used: () => void) => Promise<Pages>;
}

export interface Pages {
  open(request: Request): Promise<{ readonly refused: string } | object>;
  close(): void;
}

/** Those being answered get so long to have their answer. */
const CLOSING_MS = 2000;

/** How often the daemon drops what nobody uses any more. */
const SWEEP_MS = 60_000;

/** How often the daemon looks whether its socket is still there: without it no call can reach this process. */
const REACHABLE_MS = 5000;

/** Not while the first client waits. */
const FIRST_BEAT_MS = 1000;

/** Resolves when it has ended; with a text if it could not begin. */
export async function serve({ openPages, ...options }: ServeOptions): Promise<string | null> {
  const { folder, entry, idleMs, beatMs, http } = options;
  const identity = entryIdentity(entry);
  if (!isOfThisBuild(entry)) return `${entry} is of another build than this command`;
  const problem = openFolder(folder);
  if (problem !== null) return problem;
  const lock = tryLock(daemonLock(folder));
  if ('heldBy' in lock) return `the daemon runs already: ${lock.heldBy}`;
  const place = openSocketFolder(folder);
  if ('problem' in place) {
    lock.release();
    return place.problem;
  }
  // A folder that somebody wants to remove must not be held by it.
  process.chdir('/');
  const since = machineHost.now();
  removeOrphanedSessions(machineHost);
  const forgetLocks = reuseLockFiles('daemon');
  let unjudged: readonly UnjudgedSession[] = [];
  let web: OpenHttp | null = null;
  let pages: Promise<Pages> | null = null;
  const beat = () => {
    try {
      unjudged = heartbeat();
    } catch {
      // What cannot be read now is read at the next beat.
    }
  };
  let reachable: NodeJS.Timeout | undefined;
  let sweeps: NodeJS.Timeout | undefined;
  const first = setTimeout(beat, FIRST_BEAT_MS);
  const beats = setInterval(beat, beatMs);
  // Machine code at the first call of a function, without waiting for it to be called often: calls come seconds apart.
  setFlagsFromString('--always-sparkplug');
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      web?.close();
      void pages?.then((open) => open.close());
      void server.close(CLOSING_MS).then(resolve);
    };
    const decider = new WarmDecider({ entry, identity, onStale: end });
    sweeps = setInterval(() => decider.sweep(), SWEEP_MS);
    const server: DaemonServer = new DaemonServer({
      socket: place.socket,
      version: HARNESS_VERSION,
      idleMs,
      onIdle: end,
      answer: async (request: Request, waits) => {
        if (request.operation === 'hook') return decider.answer(request, waits);
        if (request.operation === 'page') {
          if (decider.isStale()) return { refused: 'another build is installed' };
          pages ??= openPages(entry, identity, () => server.used());
          const page = await (await pages).open(request);
          return 'refused' in page ? page : { stdout: JSON.stringify(page), stderr: '', exitCode: 0 };
        }
        if (request.operation === 'stop') setImmediate(end);
        const state: DaemonState = {
          pid: process.pid,
          version: HARNESS_VERSION,
          build: HARNESS_BUILD,
          since,
          idleMs,
          stale: decider.isStale(),
          answered: decider.answered,
          refused: decider.declined + server.turnedAway,
          connections: server.connections,
          policies: decider.openPolicies,
          http: web?.url ?? null,
          unjudged: unjudged.slice(-20),
        };
        return { stdout: JSON.stringify(state), stderr: '', exitCode: 0 };
      },
    });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, end);
    const routes = httpRoutes({ decider, entry, identity });
    const answer: HttpAnswer = (asked) => {
      server.used();
      return routes(asked);
    };
    const listening = http === null ? Promise.resolve(null) : serveHttp({ folder, port: http, answer });
    listening
      .then((open) => {
        web = open;
        return server.listen();
      })
      .then(() => {
        reachable = setInterval(() => server.isReachable() || end(), REACHABLE_MS);
      })
      .catch(reject);
  }).finally(() => {
    clearTimeout(first);
    clearInterval(beats);
    clearInterval(reachable);
    clearInterval(sweeps);
    lock.release();
    forgetLocks();
    place.close();
  });
  return null;
}

/** Its text holds the digest of everything it was built with. */
function isOfThisBuild(entry: string): boolean {
  try {
    return readFileSync(entry, 'utf8').includes(HARNESS_BUILD);
  } catch {
    return false;
  }
}
