/**
 * `decide --explain`: the story of a decision, one line a hook in the order of the chain: what it looked at, whether it
 * matched and why, what it said, what that cost, and what came of it.
 */
import { clip, isJsonObject } from '../base/index.ts';
import {
  type DescribedOutcome,
  type Description,
  describeOutcome,
  type Hook,
  ignoredText,
  type Outcome,
  type Remark,
  requireEvent,
  type TraceEntry,
} from '../engine/index.ts';
import { describeSandbox, sandboxIn } from '../machine/index.ts';
import type { Output, Style } from './output.ts';
import { countOf, indented, onOneLine } from './problems.ts';
import { alignColumns } from './table.ts';

/** With the payload, if what it says of the call is to be told too. */
type OutcomeToPrint = DescribedOutcome & Partial<Pick<Outcome, 'payload'>>;

/** The hooks of the chain; null in the place of one that is known only by what a tape says: then its file is told instead of its condition. */
export function printStory(outcome: OutcomeToPrint, hooks: readonly (Hook | null)[], output: Output): void {
  const { authority, fires, onBlock } = requireEvent(outcome.event);
  const description = describeOutcome(outcome);
  output.line(`${output.paint('bold', outcome.event)}  ${output.paint('dim', `${authority}. ${fires}`)}`);
  output.line(`The chain has ${countOf(outcome.trace.length, 'hook')}, in this order:`);
  const rows = outcome.trace.map((entry, i) => {
    const said = saying(entry);
    return [
      { text: `${i + 1}.`, right: true },
      { text: String(entry.priority), right: true },
      { text: entry.hook, style: 'cyan' as const },
      { text: said.text, style: said.style },
      { text: hooks[i] === null ? fileOf(entry) : looking(entry, hooks[i]), style: 'dim' as const },
    ];
  });
  for (const line of alignColumns(rows, output.paint)) output.line(`  ${line}`);
  for (const remark of description.remarks) printRemark(remark, output);
  printSandbox(outcome, output);
  output.line();
  output.line(indented(ending(description), '  '));
  if (outcome.action === 'block') output.line(onBlock);
}

/** What the programs of the call would run in. */
function printSandbox({ event, action, payload = null }: OutcomeToPrint, output: Output): void {
  if (event !== 'tool.pre' || action === 'block' || !isJsonObject(payload)) return;
  const sandbox = sandboxIn(payload.sandbox);
  if (sandbox !== null) output.line(`Sandbox: ${indented(onOneLine(describeSandbox(sandbox)), '  ')}.`);
}

function saying(entry: TraceEntry): { text: string; style: Style } {
  if (entry.state === 'unreached') return { text: 'not reached', style: 'dim' };
  if (entry.state === 'unmatched') return { text: 'does not apply', style: 'dim' };
  if (entry.state === 'condition_failed') return { text: 'condition failed', style: 'yellow' };
  if (entry.failure !== null) return { text: `failed, ${entry.onFailure ?? 'recorded'}`, style: 'red' };
  const decision = entry.decision ?? 'allow';
  const ignored = entry.vetoIgnored === undefined ? '' : ', ignored';
  const shown = entry.mode === 'enforce' ? '' : ` (${entry.mode})`;
  return { text: `${decision}${ignored}${shown}`, style: decision === 'allow' ? 'green' : 'red' };
}

function fileOf(entry: TraceEntry): string {
  return entry.state === 'ran' ? `${entry.source}${costOf(entry)}` : entry.source;
}

function costOf({ ms, steps }: TraceEntry): string {
  return `, ${ms.toFixed(2)} ms, ${countOf(steps, 'step')}`;
}

const LONGEST_CONDITION = 80;

/** What the hook looked at and what the look cost. */
function looking(entry: TraceEntry, hook: Hook | undefined): string {
  // The list says already that it was not reached.
  if (entry.state === 'unreached') return '';
  const text = hook?.condition?.text.trim().replace(/\s+/g, ' ');
  const condition = text === undefined ? undefined : clip(text, LONGEST_CONDITION);
  const applies = condition === undefined ? 'always applies' : `when ${condition}`;
  const verdict = { ran: ' is true', unmatched: ' is false', condition_failed: ' raised' }[entry.state];
  const cost = entry.state === 'ran' ? costOf(entry) : '';
  return `${applies}${condition === undefined ? '' : verdict}${cost}`;
}

function printRemark(remark: Remark, output: Output): void {
  const say = (text: string) =>
    output.line(`     ${output.paint('yellow', onOneLine(remark.hook))}: ${indented(text, '       ')}`);
  if (remark.kind === 'failed') {
    say(remark.failure.message);
    for (const line of (remark.failure.traceback ?? '').split('\n'))
      if (line !== '') output.line(`       ${line}`);
  }
  if (remark.kind === 'ignored') say(ignoredText(remark.entry, remark.why));
  if (remark.kind === 'warned') say(remark.warning);
}

function ending({ action, hook, place, reason }: Description): string {
  const by = hook === null ? '' : ` by ${hook}${place === null ? '' : ` (${place})`}`;
  const because = reason === null ? '' : `: ${reason}`;
  const quiet = action === 'allow' && reason === null ? ': no hook objected' : '';
  return `Outcome: ${action}${by}${because}${quiet}${/[.!?]$/.test(because) ? '' : '.'}`;
}
