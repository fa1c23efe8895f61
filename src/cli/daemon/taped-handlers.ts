/**
 * Handlers of `/v1/decide`, one for each policy as it stands, so that what hooks keep lasts for as long as it does. A caller
 * there has no session: what is decided for a folder while this daemon lives is one tape of that folder.
 */
import { type PlainAnswer, type PolicyAnswers, policyAnswers } from '../../adapters/fetch/answers.ts';
import { HarnessError } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import type { Policy } from '../../policy/policy.ts';
import { FileTapeStore } from '../../tape/file-store.ts';
import type { Mark } from '../../tape/go-on.ts';
import { openTape } from '../../tape/open-tape.ts';
import { tapeOptions } from '../../tape/policy-tape.ts';
import { RUNS, recordsFolder } from '../records-folder.ts';

interface Tape {
  readonly session: string;
  /** The digest that decided on it last. */
  policy: string;
  /** The last entry that was acknowledged: the next handler holds the tape against it, as the one before did. */
  end: () => Mark | null;
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
    const { payloads, acknowledge, sign } = tapeOptions(policy.settings.tape);
    const store = new FileTapeStore(recordsFolder(dir, RUNS), {
      sync: acknowledge === 'synced',
      ...(sign !== undefined && { sign }),
    });
    const { recorder, end } = openTape(store, {
      session: tape.session,
      ...(payloads !== undefined && { payloads }),
      hooks: policy.hooks,
      policy: policy.digest,
      lastPolicy: tape.policy,
      host,
      firedBy: 'http',
      shared: true,
      ...(after !== null && { after }),
    });
    tape.policy = digest;
    tape.end = () => end() ?? after;
    this.tapes.set(dir, tape);
    const handler = policyAnswers(policy, { recorder, session: tape.session });
    this.handlers.set(policy, handler);
    return handler;
  }
}

function newTape(policy: string, host: Host): Tape {
  return { session: `http-${host.uuid()}`, policy, end: () => null };
}
