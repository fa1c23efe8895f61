/**
 * What becomes of a policy whose files change while it is in use. A change made while no tool call is open is in force with
 * the next event. One made during an open call, or one that takes a layer away, empties it or leaves it unreadable, is held:
 * the old policy stays in force until a person accepts the new one. With `accept: 'stricter'`, every change is held that is not at
 * least as strict, whenever it is made.
 */

import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../machine/index.ts';
import type { Policy } from './policy.ts';
import { policyFingerprint, watchedIn } from './policy-fingerprint.ts';
import { looseningBetween, losses } from './policy-loss.ts';

export interface PolicyChange {
  /** Digests of the policy in force so far and of what the files say now. */
  readonly from: string;
  readonly to: string;
  /** Null: the new policy is in force. */
  readonly held: string | null;
  /** What the files say now, with every problem in it. */
  readonly next: Policy;
  /** Puts a held change in force; for a person to call, never for the agent. */
  readonly accept: () => void;
}

export interface WatchOptions {
  /** Which changes are taken without a person; default: `all` that lose nothing. A host of an agent takes only stricter ones. */
  readonly accept?: 'all' | 'stricter';
  readonly onChange?: (change: PolicyChange) => void;
  /** For something that went wrong outside the files. */
  readonly onError?: (error: unknown) => void;
  /** How long the files must be quiet; editors write in several steps. */
  readonly settleMs?: number;
  /** How often the files are looked at without being told: some file systems report nothing. 0 switches it off. */
  readonly pollMs?: number;
}

export interface PolicyWatch {
  /** A tool begins: whatever changes from here on is its doing. */
  callStarted(id: string): void;
  /** Nothing happens for a call that never started. */
  callEnded(id: string): void;
  /** What a call changed is told first, if nobody has been told yet. */
  stop(): Promise<void>;
}

export function watchPolicy(policy: Policy, options: WatchOptions = {}): PolicyWatch {
  return new Watcher(policy, options);
}

class Watcher implements PolicyWatch {
  private readonly policy: Policy;
  private readonly options: WatchOptions;
  private readonly settleMs: number;
  private readonly watchers: FSWatcher[] = [];
  private settling: NodeJS.Timeout | undefined;
  private readonly polling: NodeJS.Timeout | undefined;
  /** The files as they were when they were last read. */
  private seen: string | null;
  /** The files as they were before the open calls, and which are open. */
  private before: string | null = null;
  private readonly open = new Set<string>();
  /** Set while files are as an open call left them. */
  private touchedByCall: string | null = null;
  private inForce: string;
  private working = false;
  private stopped = false;

  constructor(policy: Policy, options: WatchOptions) {
    this.policy = policy;
    this.options = options;
    this.settleMs = options.settleMs ?? 50;
    // Now, while the files are what was read.
    this.inForce = policy.digest.digest;
    this.seen = policyFingerprint(this.policy);
    this.watchFolders();
    const pollMs = options.pollMs ?? 2000;
    this.polling = pollMs > 0 ? setInterval(() => this.changed(), pollMs).unref() : undefined;
    // Written between the opening of the policy and this moment: looked at once, so that nothing is missed.
    this.changed(true);
  }

  callStarted(id: string): void {
    if (this.open.size === 0) this.before = policyFingerprint(this.policy);
    this.open.add(id);
  }

  callEnded(id: string): void {
    if (!this.open.delete(id) || this.open.size > 0) return;
    const now = policyFingerprint(this.policy);
    if (now !== this.before) {
      this.touchedByCall = now;
      this.changed();
    }
    this.before = null;
  }

  async stop(): Promise<void> {
    clearTimeout(this.settling);
    clearInterval(this.polling);
    this.unwatch();
    const now = this.touchedByCall === null ? this.seen : policyFingerprint(this.policy);
    const untold = !this.stopped && now !== this.seen;
    this.seen = now;
    try {
      if (untold) await this.reread(true);
    } catch (error) {
      this.options.onError?.(error);
    }
    this.stopped = true;
  }

  /** The folders of watched paths and those above them: one that appears later is noticed by its parent. */
  private watchFolders(): void {
    this.unwatch();
    const folders = this.policy.places.flatMap((dir) =>
      watchedIn(this.policy, dir).flatMap((path) => [join(dir, path), join(dir, path, '..'), dir]),
    );
    for (const folder of new Set(folders)) {
      try {
        const watcher = watch(folder, { persistent: false }, () => this.changed());
        watcher.on('error', () => this.changed());
        this.watchers.push(watcher);
      } catch {
        // It does not exist yet, or there are no watches left: its parent and the poll cover for it.
      }
    }
  }

  private unwatch(): void {
    for (const watcher of this.watchers.splice(0)) watcher.close();
  }

  private changed(unseen = false): void {
    if (this.stopped) return;
    if (unseen) this.seen = null;
    // Not put off by further events: in a busy folder there is always another one.
    if (this.settling !== undefined) return;
    this.settling = setTimeout(() => {
      this.settling = undefined;
      void this.look();
    }, this.settleMs);
    this.settling.unref();
  }

  private async look(): Promise<void> {
    // One at a time, and not while a tool runs: what it changes is judged when it has ended.
    if (this.working || this.open.size > 0) return;
    this.working = true;
    try {
      for (;;) {
        const now = await this.quiet();
        if (this.stopped || this.open.size > 0 || now === this.seen) return;
        this.seen = now;
        this.watchFolders();
        await this.reread(now === this.touchedByCall);
      }
    } catch (error) {
      this.options.onError?.(error);
    } finally {
      this.working = false;
    }
  }

  /** The files once they have stopped changing: editors write in several steps. */
  private async quiet(): Promise<string> {
    let before = policyFingerprint(this.policy);
    for (let rounds = 0; rounds < 50 && before !== this.seen; rounds++) {
      await pause(this.settleMs);
      const now = policyFingerprint(this.policy);
      if (now === before) break;
      before = now;
    }
    return before;
  }

  private async objection(next: Policy, byCall: boolean): Promise<string | null> {
    const { policy, options } = this;
    if (options.accept === 'stricter') return looseningBetween(policy, next);
    return byCall ? 'it was made while a tool was running' : losses(policy, next);
  }

  private async reread(byCall: boolean): Promise<void> {
    const { policy } = this;
    const next = await policy.reread();
    const from = this.inForce;
    const to = next.digest.digest;
    if (this.stopped || from === to) return;
    const held = await this.objection(next, byCall);
    if (this.stopped) return;
    const accept = () => {
      policy.adopt(next);
      this.inForce = to;
    };
    if (held === null) accept();
    this.options.onChange?.({ from, to, held, next, accept });
  }
}
