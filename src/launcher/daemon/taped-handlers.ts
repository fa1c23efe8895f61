/**
 * Handlers of `/v1/decide`, one for each policy as it stands, so that what hooks keep lasts for as long as it does. A caller
 * there has no session: what is decided for a folder while this daemon lives is one tape of that folder.
 */

import { HarnessError } from '../../base/index.ts';
import { type PlainAnswer, type PolicyAnswers, policyAnswers } from '../../frameworks/index.ts';
import type { Host } from '../../machine/index.ts';
import type { Policy } from '../../policy/index.ts';
import { openSessionTape, RUNS, recordsFolder, storeOptions } from '../../session/index.ts';
import { type EntryMark, FileTapeStore } from '../../tape/index.ts';

interface Tape {
  readonly session: string;
  /** The digest that decided on it last. */
  policy: string;
  /** The last entry that was acknowledged: the next handler holds the tape against it, as the one before did. */
  end: () => EntryMark | null;
}

export class TapedHandlers {
  private readonly handlers = new WeakMap<Policy, PolicyAnswers>();
  private readonly tapes = new Map<string, Tape>();

  /** What cannot be recorded is not answered; the next one is recorded anew, as the disk may have room by then. */
  async answer(
    policy: Policy,
    dir: string,
    host: Host,
    ask: (answers: PolicyAnswers) => Promise<PlainAnswer>,
  ): Promise<PlainAnswer> {
    try {
      return await ask(this.of(policy, dir, host));
    } catch (thrown) {
      this.handlers.delete(policy);
      // Said once; from here on the tape says itself that it was cut.
      const tape = this.tapes.get(dir);
      if (tape !== undefined && thrown instanceof HarnessError && thrown.code === 'RECORD_CHANGED')
        tape.end = () => null;
      throw thrown;
    }
  }

  private of(policy: Policy, dir: string, host: Host): PolicyAnswers {
    const known = this.handlers.get(policy);
    if (known !== undefined) return known;
    const { digest } = policy.digest;
    const tape = this.tapes.get(dir) ?? newTape(digest, host);
    const after = tape.end();
    const opened = openSessionTape(policy, {
      target: new FileTapeStore(recordsFolder(dir, RUNS), storeOptions(policy.settings.tape)),
      session: tape.session,
      lastPolicy: tape.policy,
      host,
      firedBy: 'http',
      shared: true,
      ...(after !== null && { after }),
    });
    tape.policy = digest;
    tape.end = () => opened.end() ?? after;
    this.tapes.set(dir, tape);
    const handler = policyAnswers(policy, { tape: opened, session: tape.session });
    this.handlers.set(policy, handler);
    return handler;
  }
}

function newTape(policy: string, host: Host): Tape {
  return { session: `http-${host.uuid()}`, policy, end: () => null };
}
