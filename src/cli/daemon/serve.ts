/**
 * The daemon itself: one process a user, held by a lock. It ends when it is told to, when nothing was asked for a while, and as
 * soon as another build stands in its place.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { keepLockFiles, tryLock } from '../../base/file-lock.ts';
import { machineHost } from '../../base/host.ts';
import { entryIdentity } from '../../daemon/entry-identity.ts';
import { type HttpAnswer, type OpenHttp, serveHttp } from '../../daemon/http-server.ts';
import { daemonLock, openPlace } from '../../daemon/place.ts';
import type { Request } from '../../daemon/protocol.ts';
import { DaemonServer } from '../../daemon/server.ts';
import type { Policy } from '../../policy/policy.ts';
import { openFolder } from '../../policy/state-folder.ts';
import { heartbeat, type Unjudged } from '../doctor/heartbeat.ts';
import type { DaemonPages } from '../ui/daemon-page.ts';
import { httpRoutes } from './http-routes.ts';
import { practise } from './practice.ts';
import type { DaemonState } from './reach.ts';
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
}

/** Those being answered get so long to have their answer. */
const CLOSING_MS = 2000;

/** Not while the first client waits. */
const FIRST_BEAT_MS = 1000;

/** Resolves when it has ended; with a text if it could not begin. */
export async function serve({ folder, entry, idleMs, beatMs, http }: ServeOptions): Promise<string | null> {
  const identity = entryIdentity(entry);
  if (!isOfThisBuild(entry)) return `${entry} is of another build than this command`;
  const problem = openFolder(folder);
  if (problem !== null) return problem;
  const lock = tryLock(daemonLock(folder));
  if ('heldBy' in lock) return `the daemon runs already: ${lock.heldBy}`;
  const place = openPlace(folder);
  if ('problem' in place) {
    lock.release();
    return place.problem;
  }
  // A folder that somebody wants to remove must not be held by it.
  process.chdir('/');
  const since = machineHost.now();
  const forgetLocks = keepLockFiles('daemon');
  let unjudged: readonly Unjudged[] = [];
  let web: OpenHttp | null = null;
  let pages: DaemonPages | null = null;
  const beat = () => {
    try {
      unjudged = heartbeat();
    } catch {
      // What cannot be read now is read at the next beat.
    }
  };
  const first = setTimeout(beat, FIRST_BEAT_MS);
  const beats = setInterval(beat, beatMs);
  // Machine code at the first call of a function, without waiting for it to be called often: calls come seconds apart.
  setFlagsFromString('--always-sparkplug');
  const ending = new AbortController();
  let practised: Policy | null = null;
  let practising: Promise<void> | null = null;
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      ending.abort();
      web?.close();
      pages?.close();
      void server.close(CLOSING_MS).then(resolve);
    };
    const decider = new WarmDecider({ entry, identity, onStale: end });
    const server: DaemonServer = new DaemonServer({
      socket: place.socket,
      version: HARNESS_VERSION,
      idleMs,
      onIdle: end,
      answer: async (request: Request, waits) => {
        if (request.operation === 'hook') return decider.answer(request, waits);
        if (request.operation === 'page') {
          if (decider.isStale()) return { refused: 'another build is installed' };
          const { DaemonPages: Pages } = await import('../ui/daemon-page.ts');
          pages ??= new Pages(entry, identity, () => server.used());
          const page = await pages.open(request);
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
          practised: practised !== null,
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
        const [isFree, seen] = [() => server.connections === 0, () => server.seen];
        practising = practise({ entry, identity, isFree, seen, over: ending.signal }).then((policy) => {
          practised = policy;
        });
      })
      .catch(reject);
  }).finally(async () => {
    await practising;
    clearTimeout(first);
    clearInterval(beats);
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
