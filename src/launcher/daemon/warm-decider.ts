/**
 * The daemon's part of a decision: a request becomes the same call of the launcher's function, with policies, state and tapes that stay
 * open. What it cannot decide it refuses with the reason, and the process that the agent started decides.
 */

import { isUtf8 } from 'node:buffer';
import { resolve } from 'node:path';
import { type Answer, loadAdapter } from '../../agents/index.ts';
import type { Host } from '../../machine/index.ts';
import { FileRunStore, sessionsOf, userRunStore } from '../../policy/index.ts';
import { FileTapeStore } from '../../tape/index.ts';
import type { DecisionContext, SessionTape } from '../decision-context.ts';
import { type HookOptions, parseHookOptions } from '../hook-options.ts';
import { launch } from '../launch.ts';
import { pausedAnswer } from '../paused.ts';
import { AnswersInMemory } from './answers-in-memory.ts';
import { entryIdentity, mountSpace } from './entry-identity.ts';
import { IdleMap } from './idle-map.ts';
import { OpenTapes } from './open-tapes.ts';
import type { Request } from './protocol.ts';
import { requestHost } from './request-host.ts';
import { moduleProblem, WarmPolicies } from './warm-policies.ts';

export interface WarmDeciderOptions {
  /** The launcher's entry of the same build. */
  readonly entry: string;
  /** Its identity as this process was started. */
  readonly identity: string;
  /** Another build stands in its place: this process has no more business here. */
  readonly onStale: () => void;
}

/** While it waits for a lock on disk nobody else is answered; the launcher has more patience. */
const MOST_WAIT_MS = 100;

/** Clients that know of it wait for three quarters of their time. */
const PATIENCE = 0.65;

const MOST_FOLDERS = 64;
const MOST_ENVIRONMENTS = 32;

export class WarmDecider {
  private readonly options: WarmDeciderOptions;
  private readonly space = mountSpace();
  private readonly policies = new WarmPolicies();
  /** By the environment of the caller. */
  private readonly hosts = new IdleMap<Host>(MOST_ENVIRONMENTS);
  private readonly stores = new IdleMap<FileRunStore>(MOST_FOLDERS, (store) => store.close());
  private readonly tapeStores = new IdleMap<FileTapeStore>(MOST_FOLDERS, (store) => store.close());
  private readonly tapes = new OpenTapes();
  private readonly answers = new AnswersInMemory();

  answered = 0;
  /** What is not answered, or not yet. */
  declined = 0;

  constructor(options: WarmDeciderOptions) {
    this.options = options;
  }

  get openPolicies(): number {
    return this.policies.size;
  }

  /** Drops what no call has used since the last sweep, the environments of callers too, and closes all files: the next call opens its own. */
  sweep(): void {
    const { policies, tapes, answers, hosts, stores, tapeStores } = this;
    for (const map of [policies, tapes, answers, hosts, stores, tapeStores]) map.sweep();
    for (const map of [this.stores, this.tapeStores]) for (const store of map.values()) store.close();
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
    const { environment } = request;
    const host = this.hosts.useOrMake(environment.join('\0'), () => requestHost(environment));
    const adapter = await loadAdapter(parsed.agent);
    if (adapter === null) return { refused: 'unknown agent' };
    const paused = pausedAnswer(adapter, parsed, host);
    if (paused !== null) return paused;
    if (!isUtf8(request.payload)) return { refused: 'not UTF-8' };
    const around = this.surroundings(host, cwd, waits);
    const text = Buffer.from(request.payload.buffer, request.payload.byteOffset, request.payload.length);
    const silent = { event: () => {}, session: () => {} };
    let isAnswered = false;
    try {
      const answer = await launch(adapter, absolute(parsed, cwd), text.toString('utf8'), silent, around);
      isAnswered = !('problem' in answer);
      // Also for what the launcher would refuse itself: it knows how to say it, and puts it on record.
      return 'problem' in answer ? { refused: answer.problem } : answer;
    } finally {
      if (!isAnswered) around.dropTape();
    }
  }

  private surroundings(
    host: Host,
    cwd: string,
    waits: () => void,
  ): DecisionContext & { readonly dropTape: () => void } {
    const used: SessionTape[] = [];
    return {
      host,
      cwd,
      sessions: (runs) => sessionsOf(runs, host),
      store: (folder) =>
        this.stores.useOrMake(folder, () => new FileRunStore(`${folder}/state`, { waitMs: MOST_WAIT_MS })),
      limits: (_waitMs, sync) => {
        const store = userRunStore(host, { waitMs: MOST_WAIT_MS, sync });
        // One policy that wants every grant on disk must not slow down the others.
        return store === undefined ? undefined : this.stores.useOrMake(`${sync} ${store.dir}`, () => store);
      },
      tapes: (runs, options) => {
        const make = () => new FileTapeStore(runs, options);
        // A key is read anew each time.
        return options.sign === undefined
          ? this.tapeStores.useOrMake(`${options.sync} ${runs}`, make)
          : make();
      },
      tape: (session, open) => {
        if (session.policy.settings.tape.key !== null) return open();
        used.push(session);
        return this.tapes.of(session, open);
      },
      dropTape: () => {
        for (const session of used) this.tapes.drop(session);
      },
      answers: this.answers,
      policy: async (scope, root) => {
        const policy = await this.policies.open(scope, root, host);
        if ('problem' in policy) return policy;
        // A program takes its time: a client that gave up on it would run it a second time.
        if (policy.hooks.some(({ capability }) => capability !== undefined)) waits();
        return moduleProblem(policy) ?? policy;
      },
      patience: (deadlineMs) => {
        waits();
        return deadlineMs * PATIENCE;
      },
      objection: moduleProblem,
    };
  }
}

function absolute(options: HookOptions, cwd: string): HookOptions {
  const at = (path: string | null) => (path === null ? null : resolve(cwd, path));
  return { ...options, dir: at(options.dir), user: at(options.user) };
}
