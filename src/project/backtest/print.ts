/**
 * A backtest as people read it: on a terminal, and as Markdown under a pull request. First what changes, in numbers; then
 * the calls, grouped by the hook that makes the difference; then what could not be said.
 */
import { clip, isJsonObject, type Json } from '../../base/index.ts';
import type { ChangedDecision } from '../../tape/index.ts';
import { countOf, type Output } from '../../terminal/index.ts';
import type { Summary } from './summary.ts';

const SHOWN_PER_HOOK = 10;
const LONGEST_CALL = 200;

export function backtestData(summary: Summary): Record<string, unknown> {
  const { tapes, decisions, same, classes, changed, notReplayable, broken, unproven } = summary;
  return {
    tapes,
    decisions,
    same,
    classes: Object.fromEntries([...classes].sort(([a], [b]) => (a < b ? -1 : 1))),
    changed,
    notReplayable,
    changedCount: summary.changedCount,
    counterfactual: summary.counterfactual,
    notReplayableCount: summary.notReplayableCount,
    broken,
    unproven,
  };
}

/** Hooks with the most changes first. */
function byHook(changed: readonly ChangedDecision[]): [string, ChangedDecision[]][] {
  const groups = new Map<string, ChangedDecision[]>();
  for (const change of changed) {
    const name = `${change.class} ${change.hook ?? '(no hook)'}`;
    groups.set(name, [...(groups.get(name) ?? []), change]);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

export function callText({ payload, event }: Pick<ChangedDecision, 'payload' | 'event'>): string {
  if (!isJsonObject(payload))
    return clip(typeof payload === 'string' ? payload : JSON.stringify(payload), LONGEST_CALL);
  const { name, args } = payload as { name?: Json; args?: Json };
  if (typeof name !== 'string') return clip(`${event} ${JSON.stringify(payload)}`, LONGEST_CALL);
  const command = isJsonObject(args) && Object.keys(args).length === 1 ? Object.values(args)[0]! : args;
  const text = typeof command === 'string' ? command : JSON.stringify(command ?? payload);
  return clip(`${name} ${text}`, LONGEST_CALL);
}

export function printBacktest(summary: Summary, output: Output): void {
  printTrust(summary, output);
  const { tapes, decisions, same } = summary;
  output.line(
    `${countOf(decisions, 'decision')} of ${countOf(tapes - summary.broken.length, 'session')}: ${same} the same, ${summary.changedCount} changed, ${summary.notReplayableCount} not replayable`,
  );
  for (const [name, changes] of byHook(summary.changed)) {
    output.line();
    const [kind, ...hook] = name.split(' ');
    output.line(
      `${output.paint(styleOf(kind!), kind!)}  ${output.paint('bold', hook.join(' '))}  ${countOf(changes.length, 'call')}`,
    );
    for (const change of changes.slice(0, SHOWN_PER_HOOK)) printChange(change, output);
    if (changes.length > SHOWN_PER_HOOK) output.line(`  and ${changes.length - SHOWN_PER_HOOK} more`);
  }
  if (summary.counterfactual > 0) {
    output.line(
      `\n${countOf(summary.counterfactual, 'change')} marked * came after another change of the same session, which would have gone another way`,
    );
  }
  for (const [reason, count] of summary.reasons)
    output.line(`${countOf(count, 'decision')} not replayable: ${reason}`);
}

function printChange(change: ChangedDecision, output: Output): void {
  const { session, seq, counterfactual, before, after } = change;
  const place = output.paint('dim', `${session.slice(0, 8)}:${seq}${counterfactual ? ' *' : ''}`);
  output.line(`  ${callText(change).replaceAll('\n', '⏎')}  ${place}`);
  if (before.reason !== null) output.line(`    then  ${before.reason}`);
  if (after.reason !== null) output.line(`    now   ${after.reason}`);
  if (before.payload !== undefined && after.payload !== undefined) {
    output.line(output.paint('red', `    - ${clip(JSON.stringify(before.payload), LONGEST_CALL)}`));
    output.line(output.paint('green', `    + ${clip(JSON.stringify(after.payload), LONGEST_CALL)}`));
  }
}

/** Letting through what was stopped is what a reviewer must not miss. */
function styleOf(kind: string) {
  if (kind.endsWith('->allow')) return 'red' as const;
  return kind.endsWith('->block') ? ('yellow' as const) : ('cyan' as const);
}

function printTrust({ broken, unproven }: Summary, output: Output): void {
  for (const { tape, problem } of broken)
    output.note(`${output.paintNote('red', 'error')}: ${tape} left out: ${problem}`);
  for (const { tape, problem } of unproven)
    output.note(
      `${output.paintNote('yellow', 'warning')}: ${tape} does not prove its own decisions: ${problem}`,
    );
}

export function markdown(summary: Summary): string {
  const { tapes, decisions, same, broken, unproven } = summary;
  const lines = [
    '### Policy backtest',
    '',
    `On **${countOf(tapes - broken.length, 'recorded session')}** with ${countOf(decisions, 'decision')}: ${same} the same, **${summary.changedCount} changed**, ${summary.notReplayableCount} not replayable.`,
    '',
  ];
  if (summary.classes.size > 0) {
    lines.push('| change | calls |', '|---|---|');
    for (const [name, count] of [...summary.classes].sort(([, a], [, b]) => b - a))
      lines.push(`| \`${name}\` | ${count} |`);
    lines.push('');
  }
  for (const [name, changes] of byHook(summary.changed)) {
    const [kind, ...hook] = name.split(' ');
    lines.push(
      `<details><summary><code>${escaped(kind!)}</code> by <b>${escaped(hook.join(' '))}</b>: ${countOf(changes.length, 'call')}</summary>`,
      '',
    );
    lines.push('| call | then | now | where |', '|---|---|---|---|');
    for (const change of changes.slice(0, SHOWN_PER_HOOK)) {
      const { before, after, session, seq, counterfactual } = change;
      const cells = [
        cell(callText(change)),
        cell(before.reason ?? before.action),
        cell(after.reason ?? after.action),
      ];
      lines.push(`| ${cells.join(' | ')} | ${session.slice(0, 8)}:${seq}${counterfactual ? ' *' : ''} |`);
    }
    if (changes.length > SHOWN_PER_HOOK) lines.push('', `and ${changes.length - SHOWN_PER_HOOK} more`);
    lines.push('', '</details>', '');
  }
  if (summary.counterfactual > 0)
    lines.push('\\* after another change of the same session, which would have gone another way', '');
  for (const [reason, count] of summary.reasons)
    lines.push(`- ${countOf(count, 'decision')} not replayable: ${escaped(reason)}`);
  for (const { tape, problem } of broken) lines.push(`- left out: ${escaped(tape)}: ${escaped(problem)}`);
  for (const { tape, problem } of unproven)
    lines.push(`- does not prove its own decisions: ${escaped(tape)}: ${escaped(problem)}`);
  return `${lines.join('\n')}\n`;
}

/** In code, so that nothing in a payload is markup, a mention or a link. */
function cell(text: string): string {
  const flat = text.replace(/[\r\n\t]+/g, ' ').replaceAll('|', '\\|');
  const fence = '`'.repeat(Math.max(0, ...[...flat.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return `${fence} ${flat} ${fence}`;
}

function escaped(text: string): string {
  return text.replace(/[<>&]/g, (char) => `&#${char.charCodeAt(0)};`).replace(/[\r\n]+/g, ' ');
}
