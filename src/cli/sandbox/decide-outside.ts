/**
 * The hooks of an agent in a sandbox are decided outside of it: what they need is not in there, and what they write must not be.
 * Inside, the launcher finds this server in the place of the daemon. If it is gone, the launcher can write no tape, and denies.
 */

import { isUtf8 } from 'node:buffer';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Answer } from '../../adapters/adapter.ts';
import { loadAdapter } from '../../adapters/load-adapter.ts';
import { LONGEST_TIMER_MS } from '../../base/duration.ts';
import { entryIdentity } from '../../daemon/entry-identity.ts';
import type { Request } from '../../daemon/protocol.ts';
import { DaemonServer } from '../../daemon/server.ts';
import { type HookOptions, parseHookOptions } from '../hook/hook-options.ts';
import { launch, ownSurroundings } from '../hook/launch.ts';

/** Put in by the build. */
declare const HARNESS_VERSION: string;

export interface OutsideDecider {
  /** To be seen inside in the place of what Harness keeps for the user: a daemon listens there, and nothing else is there. */
  readonly state: string;
  /** An empty folder. */
  readonly empty: string;
  close(): Promise<void>;
}

const CLOSING_MS = 1000;

/** `places`: the folders whose policy may be asked for; others are nobody's business in there. */
export async function decideOutside(entry: string, places: readonly string[]): Promise<OutsideDecider> {
  const top = mkdtempSync(join(tmpdir(), 'harness-hooks-'));
  const [state, empty] = [join(top, 'state'), join(top, 'empty')];
  const folder = join(state, 'daemon');
  for (const each of [folder, empty]) mkdirSync(each, { recursive: true, mode: 0o700 });
  const identity = entryIdentity(entry);
  const server = new DaemonServer({
    socket: join(folder, 'socket'),
    version: HARNESS_VERSION,
    // It ends with the agent.
    idleMs: LONGEST_TIMER_MS,
    onIdle: () => {},
    answer: (request) => answer(request, identity, places),
  });
  await server.listen();
  return {
    state,
    empty,
    close: async () => {
      await server.close(CLOSING_MS);
      rmSync(top, { recursive: true, force: true });
    },
  };
}

async function answer(
  { operation, entry, words, payload }: Request,
  identity: string,
  places: readonly string[],
): Promise<Answer | { readonly refused: string }> {
  if (operation !== 'hook') return { refused: 'it cannot be told that from inside' };
  if (entry !== identity) return { refused: 'it is of another build' };
  const [cwd = '', , ...argv] = words;
  const parsed = parseHookOptions(argv);
  if (typeof parsed === 'string' || !cwd.startsWith('/')) return { refused: 'not understood' };
  const options = absolute(parsed, cwd);
  const foreign = [options.dir, options.user].find((path) => path !== null && !places.includes(path));
  if (foreign !== undefined) return { refused: 'that folder is none of its own' };
  const adapter = await loadAdapter(options.agent);
  if (adapter === null || !isUtf8(payload)) return { refused: 'not understood' };
  const text = Buffer.from(payload).toString('utf8');
  const silent = { event: () => {}, session: () => {} };
  // The environment is ours: one from inside is what the agent says it is.
  const said = await launch(adapter, options, text, silent, { ...ownSurroundings(), cwd, patience });
  return 'problem' in said ? { refused: said.problem } : said;
}

/** A client of a daemon waits for less than half of the deadline. */
function patience(deadlineMs: number): number {
  return deadlineMs * 0.3;
}

function absolute(options: HookOptions, cwd: string): HookOptions {
  const at = (path: string | null) => (path === null ? null : resolve(cwd, path));
  return { ...options, dir: at(options.dir), user: at(options.user) };
}
