/**
 * The daemon's part of a decision: a request becomes the same call of the launcher's core, with stores and policies at hand. What
 * it is not the one to judge it declines, and the process that the agent started judges it.
 */
import { isUtf8 } from 'node:buffer';
import { resolve } from 'node:path';
import type { Answer } from '../../adapters/adapter.ts';
import { loadAdapter } from '../../adapters/load-adapter.ts';
import { entryIdentity, mountSpace } from '../../daemon/entry-identity.ts';
import type { Request } from '../../daemon/protocol.ts';
import { currentPause } from '../../policy/pause.ts';
import { sessionsOf } from '../../policy/state-folder.ts';
import { FileRunStore } from '../../policy/stores/file-run-store.ts';
import { userRunStore } from '../../policy/stores/user-run-store.ts';
import { FileTapeStore } from '../../tape/file-store.ts';
import { type HookOptions, parseHookOptions } from '../hook/hook-options.ts';
import { launch } from '../hook/launch.ts';
import type { Surroundings } from '../hook/surroundings.ts';
import { requestHost } from './request-host.ts';
import { demandSandboxed, WarmPolicies } from './warm-policies.ts';

export interface WarmDeciderOptions {
  /** The launcher's entry of the same build. */
  readonly entry: string;
  /** Its identity as this process was started. */
  readonly identity: string;
  /** Another build stands in its place: this process has no more business here. */
  readonly onStale: () => void;
  /** Where policies come from; by default from their folders. */
  readonly policies?: Pick<WarmPolicies, 'open' | 'size'>;
}

/** While it waits for a lock on disk nobody else is answered; the launcher has more patience. */
const MOST_WAIT_MS = 100;

/** Clients that know of it wait for three quarters of their time. */
const PATIENCE = 0.65;

const MOST_FOLDERS = 64;

export class WarmDecider {
  private readonly options: WarmDeciderOptions;
  private readonly space = mountSpace();
  private readonly policies: Pick<WarmPolicies, 'open' | 'size'>;
  private readonly stores = new Map<string, FileRunStore>();
  private readonly tapes = new Map<string, FileTapeStore>();

  answered = 0;
  /** What is not answered, or not yet. */
  declined = 0;

  constructor(options: WarmDeciderOptions) {
    this.options = options;
    this.policies = options.policies ?? new WarmPolicies();
  }

  get openPolicies(): number {
    return this.policies.size;
  }

  /** A stale daemon never answers: it looks at the launcher's file at every call. */
  isStale(): boolean {
    return entryIdentity(this.options.entry) !== this.options.identity;
  }

  async answer(
    request: Request,
    waits: () => void = () => {},
  ): Promise<Answer | { readonly refused: string }> {
    this.declined++;
    const answer = await this.decide(request, waits);
    if ('refused' in answer) return answer;
    this.declined--;
    this.answered++;
    return answer;
  }

  private async decide(request: Request, waits: () => void): Promise<Answer | { readonly refused: string }> {
    if (this.isStale()) {
      this.options.onStale();
      return { refused: 'another build is installed' };
    }
    if (request.entry !== this.options.identity) return { refused: 'it is of another build' };
    const [cwd = '', space, ...argv] = request.words;
    if (space !== this.space || !cwd.startsWith('/')) return { refused: 'it does not see the same files' };
    const parsed = parseHookOptions(argv);
    if (typeof parsed === 'string') return { refused: parsed };
    const host = requestHost(request.environment);
    if (currentPause(host) !== null) return { refused: 'paused' };
    const adapter = await loadAdapter(parsed.agent);
    if (adapter === null || !isUtf8(request.payload)) return { refused: 'not understood' };
    const around = this.surroundings(host, cwd, waits);
    const text = Buffer.from(request.payload.buffer, request.payload.byteOffset, request.payload.length);
    const silent = { event: () => {}, session: () => {} };
    const answer = await launch(adapter, absolute(parsed, cwd), text.toString('utf8'), silent, around);
    // Also for what the launcher would refuse itself: it knows how to say it, and puts it on record.
    return 'problem' in answer ? { refused: answer.problem } : answer;
  }

  private surroundings(host: Surroundings['host'], cwd: string, waits: () => void): Surroundings {
    return {
      host,
      cwd,
      sessions: (runs) => sessionsOf(runs, host),
      store: (folder) =>
        kept(this.stores, folder, () => new FileRunStore(`${folder}/state`, { waitMs: MOST_WAIT_MS })),
      limits: () => {
        const store = userRunStore(host, { waitMs: MOST_WAIT_MS });
        return store === undefined ? undefined : kept(this.stores, store.dir, () => store);
      },
      tapes: (runs, options) => {
        const make = () => new FileTapeStore(runs, options);
        // A key is read anew each time.
        return options.sign === undefined ? kept(this.tapes, `${options.sync} ${runs}`, make) : make();
      },
      policy: async (scope, root) => {
        const policy = await this.policies.open(scope, root, host);
        if (!('problem' in policy)) demandSandboxed(policy);
        return policy;
      },
      keep: () => false,
      patience: (deadlineMs) => {
        waits();
        return deadlineMs * PATIENCE;
      },
      accept: demandSandboxed,
    };
  }
}

function absolute(options: HookOptions, cwd: string): HookOptions {
  const at = (path: string | null) => (path === null ? null : resolve(cwd, path));
  return { ...options, dir: at(options.dir), user: at(options.user) };
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.delete(key);
  known.set(key, value);
  if (known.size > MOST_FOLDERS) known.delete(known.keys().next().value!);
  return value;
}
