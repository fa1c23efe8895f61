/**
 * The hooks of an agent in a sandbox are decided outside of it: what they need is not in there, and what they write must not be.
 * Inside, the launcher finds this server in the place of the daemon. If it is gone, the launcher can write no tape, and denies.
 */

import { isUtf8 } from 'node:buffer';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Answer, loadAdapter, USER_COPY } from '../agents/index.ts';
import { LONGEST_TIMER_MS } from '../base/index.ts';
import { entryIdentity } from './daemon/entry-identity.ts';
import type { Request } from './daemon/protocol.ts';
import { DaemonServer } from './daemon/server.ts';
import { type HookOptions, parseHookOptions } from './hook-options.ts';
import { launch, ownContext } from './launch.ts';

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
  linkEngine(entry, join(state, USER_COPY));
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

/** Guards inside look for the user's copy of the engine: the package that is seen inside stands in for it. */
function linkEngine(entry: string, copy: string): void {
  const root = join(entry, '..', '..', '..');
  mkdirSync(copy, { recursive: true, mode: 0o700 });
  symlinkSync(join(root, 'dist'), join(copy, 'dist'));
  symlinkSync(process.execPath, join(copy, 'node'));
  copyFileSync(join(root, 'package.json'), join(copy, 'package.json'));
}

async function answer(
  { operation, entry, words, payload }: Request,
  identity: string,
  places: readonly string[],
): Promise<Answer | { readonly refused: string }> {
  if (operation !== 'hook') return { refused: 'this operation is not available from inside a sandbox' };
  if (entry !== identity) return { refused: 'it is of another build' };
  const [cwd = '', , ...argv] = words;
  const parsed = parseHookOptions(argv);
  if (typeof parsed === 'string' || !cwd.startsWith('/')) return { refused: 'not understood' };
  const options = absolute(parsed, cwd);
  const foreign = [options.dir, options.user].find((path) => path !== null && !places.includes(path));
  if (foreign !== undefined)
    return { refused: 'that folder is not a policy folder of this sandboxed session' };
  const adapter = await loadAdapter(options.agent);
  if (adapter === null || !isUtf8(payload)) return { refused: 'not understood' };
  const text = Buffer.from(payload).toString('utf8');
  const silent = { event: () => {}, session: () => {} };
  // The environment is ours: one from inside is what the agent says it is.
  const said = await launch(adapter, options, text, silent, { ...ownContext(), cwd, patience });
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
