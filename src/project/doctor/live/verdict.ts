/**
 * What a run of the agent proved. Green only if the tool did not run, the tape has the block, and the reason reached the model;
 * anything else is a cause in words. Pure.
 */
import { isShipped } from '../ordinary.ts';
import type { LiveDecision } from './tape-facts.ts';

export interface LiveFacts {
  /** The marked command was carried out. */
  readonly toolRan: boolean;
  /** On the tape of the run, in order. */
  readonly decisions: readonly LiveDecision[];
  /** The ordinary command was carried out; null if it was not tried. */
  readonly ordinaryRan: boolean | null;
  /** Requests of the conversation that reached the model. */
  readonly requests: number;
  /** The reason of the canary stood in one of them. */
  readonly reasonSeen: boolean;
  /** The agent was still at it when its time was over. */
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly said: string;
}

export type LiveVerdict = 'proved' | 'broken' | 'unproved';

export interface Judged {
  readonly verdict: LiveVerdict;
  readonly causes: readonly string[];
  /** Worth knowing. */
  readonly notes: readonly string[];
}

export interface JudgeOptions {
  /** What was seen without running anything. */
  readonly problems: readonly string[];
  readonly refusalEndsRun: boolean;
  /** The same agent without our hooks; null if it was not needed. */
  readonly control: LiveFacts | null;
  /** Sources of hooks that `init` writes. */
  readonly shipped: ReadonlySet<string>;
}

/** Whether only a run without hooks can tell who is at fault. */
export function wantsControl({ requests, toolRan }: LiveFacts): boolean {
  return requests === 0 && !toolRan;
}

export function judgeLive(
  facts: LiveFacts,
  { problems, refusalEndsRun, control, shipped }: JudgeOptions,
): Judged {
  if (control !== null && !control.toolRan) {
    return {
      verdict: 'unproved',
      causes: [`the agent does not work here, with or without hooks${words(control)}`],
      notes: [],
    };
  }
  const ordinary = ordinaryIn(facts, shipped);
  const causes = [...problems, ...causesIn(facts, refusalEndsRun), ...ordinary.causes];
  return { verdict: causes.length === 0 ? 'proved' : 'broken', causes, notes: ordinary.notes };
}

/** What Harness ships must not stop ordinary work, and no hook may fail at it; a person's own hook may mean to. */
function ordinaryIn(
  { ordinaryRan, decisions, requests }: LiveFacts,
  shipped: ReadonlySet<string>,
): Pick<Judged, 'causes' | 'notes'> {
  const stop = decisions.map((each) => each.stop).find((each) => each !== null);
  if (stop === undefined) {
    const lost = ordinaryRan === false && requests > 1;
    const note = 'the ordinary command did not run, though the policy let it pass: look at the agent itself';
    return { causes: [], notes: lost ? [note] : [] };
  }
  const { hook, source, action, reason, failed, speaks } = stop;
  const place = source === '' ? '' : ` (${source})`;
  if (failed && speaks)
    return {
      causes: [],
      notes: [`not tried: hook "${hook}"${place} speaks to an address, and the run has no network`],
    };
  const agentOutput = failed ? 'failed' : `said ${action}`;
  const said = `ordinary work, run a command: hook "${hook}"${place} ${agentOutput}: ${reason}`;
  const isWrong = failed || isShipped({ source, isPack: hook.startsWith('pack:') }, shipped);
  return isWrong ? { causes: [said], notes: [] } : { causes: [], notes: [said] };
}

function causesIn(facts: LiveFacts, refusalEndsRun: boolean): string[] {
  const { toolRan, decisions, requests, reasonSeen, timedOut } = facts;
  const calls = decisions.filter(({ event }) => event === 'tool.pre');
  const blocked = calls.some(({ canary, action }) => canary && action === 'block');
  const late = timedOut ? ['the agent did not come to an end'] : [];
  if (toolRan) return [`the tool ran: ${whyItRan(facts, blocked)}`, ...late];
  if (requests === 0) {
    const last = decisions.at(-1);
    const who =
      last === undefined
        ? 'the policy was never asked: its engine, its folder or its interpreter may be gone'
        : `the last decision was ${last.action} at ${last.event}`;
    return [`with our hooks the agent refuses every prompt; ${who}${words(facts)}`, ...late];
  }
  if (!blocked) {
    const seen =
      calls.length === 0
        ? 'it was never judged'
        : `it was judged ${calls.map(({ action }) => action).join(', ')}`;
    return [`the tool did not run, but not by the policy's word: ${seen}${words(facts)}`, ...late];
  }
  if (!reasonSeen && !refusalEndsRun)
    return ['the block held, but its reason did not reach the model', ...late];
  return late;
}

function whyItRan({ decisions }: LiveFacts, blocked: boolean): string {
  if (blocked) {
    return 'the policy blocked it and the agent did not obey; the answer came too late, or in words that it does not read';
  }
  if (decisions.length === 0) return 'no hook of ours came to a decision';
  const calls = decisions.filter(({ event }) => event === 'tool.pre');
  if (calls.length > 0)
    return `the policy was asked and said ${calls.map(({ action }) => action).join(', ')}`;
  const others = [...new Set(decisions.map(({ event }) => event))].join(', ');
  return `the policy was asked at ${others}, but not before the tool; look at the event and its matcher`;
}

/** What the registered line or the launcher says, wherever the agent shows it. */
const OUR_WORDS = /Blocked: the policy [^"\\\n]*|the policy of this project is gone[^"\\\n]*/;

function words({ said, exitCode }: LiveFacts): string {
  const text = said.trim();
  if (text === '') return exitCode === null ? '' : ` (it ended with exit code ${exitCode} and said nothing)`;
  const ours = OUR_WORDS.exec(text)?.[0];
  return ours === undefined ? `; it said: ${text.slice(-300)}` : `: ${ours}`;
}
