/**
 * One step: `step.pre` may deny it or rewrite its arguments, `step.post` may rewrite what came of it or hold it back. A step
 * that is denied rejects with an error that says so, and by which of the two: before it, its function has not been called.
 */
import { HarnessError, type Json, type JsonObject } from '../../base/index.ts';
import { checkPayload, type Outcome } from '../../engine/index.ts';
import type { Stage } from './stage.ts';

export interface StepCall {
  readonly name: string;
  readonly run: (...args: readonly Json[]) => unknown;
  readonly args: readonly Json[];
}

/** A hook does not let a step run, or does not let out what came of it. */
export class StepDenied extends HarnessError {
  readonly category = 'hook_denied';
  readonly event: 'PreStep' | 'PostStep';
  readonly reason: string;
  readonly step: string;
  readonly hook: string | null;

  constructor(step: string, reason: string, hook: string | null, event: StepDenied['event'] = 'PreStep') {
    super('STEP_DENIED', `step "${step}" was denied${hook === null ? '' : ` by hook "${hook}"`}: ${reason}`);
    this.name = 'StepDenied';
    this.event = event;
    this.reason = reason;
    this.step = step;
    this.hook = hook;
  }
}

export async function runStep(stage: Stage, { name, run, args }: StepCall): Promise<Json> {
  if (stage.silent) return jsonOf(name, await run(...args));
  const { persona } = stage;
  const about = {
    target: persona === null ? name : `${persona}.${name}`,
    persona,
    step: name,
    ...(run.name !== '' && { function: run.name }),
  };
  const asked = { ...about, args: [...args] };
  const pre = await stage.fire('step.pre', asked);
  await checkPre(stage, name, pre);
  stage.ignoreRewrites(pre, asked, ['args']);
  const rewritten = (pre.payload as JsonObject).args as readonly Json[];
  const output = jsonOf(name, await stage.within(name, () => run(...rewritten)));
  const done = { ...about, args: rewritten, output };
  const post = await stage.fire('step.post', done);
  check(name, post);
  if (!post.mayRun) throw new StepDenied(name, post.reason ?? 'no reason given', post.hook, 'PostStep');
  stage.ignoreRewrites(post, done, ['output']);
  return (post.payload as JsonObject).output ?? null;
}

async function checkPre(stage: Stage, name: string, outcome: Outcome): Promise<void> {
  check(name, outcome);
  const { action, mayRun, hook } = outcome;
  if (mayRun) return;
  const reason = outcome.reason ?? 'no reason given';
  if (action !== 'ask') throw new StepDenied(name, reason, hook);
  const args = (outcome.payload as JsonObject).args as readonly Json[];
  const said = await stage.ask({ hook, event: 'step.pre', toolName: name, toolInput: { args }, reason });
  if (!said.approved) throw new StepDenied(name, said.reason ?? `${reason} (it was not approved)`, hook);
}

/** What a hook made of a step must still be one. */
function check(name: string, { event, failure, payload, hook }: Outcome): void {
  if (failure !== undefined) {
    throw failed(name, `${event}: hook "${failure.hook}" failed: ${failure.message}`);
  }
  const problems = checkPayload(event, payload);
  if (problems.length > 0) throw failed(name, `${event}: hook "${hook}" rewrote it: ${problems.join('; ')}`);
}

/** Hooks see data, and so does the caller: what has no JSON has no place in either. */
function jsonOf(name: string, value: unknown): Json {
  try {
    const text = JSON.stringify(value ?? null);
    if (text !== undefined) return JSON.parse(text) as Json;
  } catch {
    // Cycles and big integers; said below.
  }
  throw failed(name, 'what it returned is no JSON');
}

function failed(name: string, message: string): HarnessError {
  return new HarnessError('STEP_FAILED', `step "${name}": ${message}`);
}
