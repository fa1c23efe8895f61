/**
 * `decide --explain`: the story of a decision, one line a hook in the order of the chain: what it looked at, whether it
 * matched and why, what it said, what that cost, and what came of it.
 */
import type { Outcome, TraceEntry } from '../events/decision.ts';
import { requireEvent } from '../events/describe.ts';
import type { Hook } from '../hooks/hook.ts';
import { BUILT_IN } from '../hooks/layer.ts';
import { ignoredVeto } from './outcome.ts';
import type { Output, Style } from './output.ts';
import { countOf, indented, onOneLine } from './problems.ts';
import { alignColumns } from './table.ts';

export function printStory(outcome: Outcome, hooks: readonly Hook[], output: Output): void {
  const { authority, fires, onBlock } = requireEvent(outcome.event);
  output.line(`${output.paint('bold', outcome.event)}  ${output.paint('dim', `${authority}. ${fires}`)}`);
  output.line(`The chain has ${countOf(outcome.trace.length, 'hook')}, in this order:`);
  const rows = outcome.trace.map((entry, i) => {
    const said = saying(entry);
    return [
      { text: `${i + 1}.`, right: true },
      { text: String(entry.priority), right: true },
      { text: entry.hook, style: 'cyan' as const },
      { text: said.text, style: said.style },
      { text: looking(entry, hooks[i]), style: 'dim' as const },
    ];
  });
  for (const line of alignColumns(rows, output.paint)) output.line(`  ${line}`);
  for (const entry of outcome.trace) printRemarks(entry, output);
  output.line();
  output.line(indented(ending(outcome), '  '));
  if (outcome.action === 'block') output.line(onBlock);
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

/** What the hook looked at and what the look cost. */
function looking(entry: TraceEntry, hook: Hook | undefined): string {
  const condition = hook?.condition?.text.trim().replace(/\s+/g, ' ');
  const applies = condition === undefined ? 'always applies' : `when ${condition}`;
  const verdict = { ran: ' is true', unmatched: ' is false', condition_failed: ' raised', unreached: '' }[
    entry.state
  ];
  const cost = entry.state === 'ran' ? `, ${entry.ms.toFixed(2)} ms, ${countOf(entry.steps, 'step')}` : '';
  return `${applies}${condition === undefined ? '' : verdict}${cost}`;
}

function printRemarks(entry: TraceEntry, output: Output): void {
  const say = (text: string) =>
    output.line(`     ${output.paint('yellow', onOneLine(entry.hook))}: ${indented(text, '       ')}`);
  if (entry.failure !== null) {
    say(entry.failure.message);
    for (const line of (entry.failure.traceback ?? '').split('\n'))
      if (line !== '') output.line(`       ${line}`);
  }
  const ignored = ignoredVeto(entry);
  if (ignored !== null) say(ignored);
  for (const warning of entry.warnings) say(warning);
}

function ending(outcome: Outcome): string {
  const unreached = outcome.trace
    .filter((entry) => entry.state === 'unreached' && entry.layer !== BUILT_IN.name)
    .map((entry) => entry.hook);
  const rest = unreached.length === 0 ? '' : ` Not asked any more: ${unreached.join(', ')}.`;
  const by = outcome.hook === null ? '' : ` by ${outcome.hook}`;
  const because = outcome.reason === null ? '' : `: ${outcome.reason}`;
  const quiet = outcome.action === 'allow' && outcome.reason === null ? ': no hook objected' : '';
  return `Outcome: ${outcome.action}${by}${because}${quiet}${/[.!?]$/.test(because) ? '' : '.'}${rest}`;
}
