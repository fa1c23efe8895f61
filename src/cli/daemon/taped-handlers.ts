/**
 * Handlers of `/v1/decide`, one for each policy as it stands, so that what hooks keep lasts for as long as it does. A caller
 * there has no session: what is decided for a folder while this daemon lives is one tape of that folder.
 */
import { type PlainAnswer, type PolicyAnswers, policyAnswers } from '../../adapters/fetch/answers.ts';
import type { Host } from '../../base/host.ts';
import type { Policy } from '../../policy/policy.ts';
import { FileTapeStore } from '../../tape/file-store.ts';
import { openTape } from '../../tape/open-tape.ts';
import { tapeOptions } from '../../tape/policy-tape.ts';
import { RUNS, recordsFolder } from '../records-folder.ts';

interface Tape {
  readonly session: string;
  /** The digest that decided on it last. */
  policy: string;
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
      throw thrown;
    }
  }

  private of(policy: Policy, dir: string, host: Host): PolicyAnswers {
    const known = this.handlers.get(policy);
    if (known !== undefined) return known;
    const { digest } = policy.digest;
    const tape = this.tapes.get(dir) ?? { session: `http-${host.uuid()}`, policy: digest };
    const { payloads, acknowledge, sign } = tapeOptions(policy.settings.tape);
    const store = new FileTapeStore(recordsFolder(dir, RUNS), {
      sync: acknowledge === 'synced',
      ...(sign !== undefined && { sign }),
    });
    const { recorder } = openTape(store, {
      session: tape.session,
      ...(payloads !== undefined && { payloads }),
      hooks: policy.hooks,
      policy: policy.digest,
      lastPolicy: tape.policy,
      host,
      firedBy: 'http',
      shared: true,
    });
    tape.policy = digest;
    this.tapes.set(dir, tape);
    const handler = policyAnswers(policy, { recorder, session: tape.session });
    this.handlers.set(policy, handler);
    return handler;
  }
}
