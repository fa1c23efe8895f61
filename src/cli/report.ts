/**
 * `harness report`: what the packs of rules in force, those in audit among them, would have stopped of the tool calls on tapes, by
 * rule, with examples.
 */
import { isJsonObject, type Json } from '../base/json.ts';
import { clip } from '../base/text.ts';
import { actionOf } from '../frontends/packs/pack-hooks.ts';
import { loadPatterns } from '../frontends/packs/patterns.ts';
import { shippedShared } from '../frontends/packs/shipped.ts';
import { ToolCall } from '../frontends/packs/tool-call.ts';
import { chapters } from '../tape/stories.ts';
import { readTape } from '../tape/tape-reader.ts';
import type { Run } from './command.ts';
import { modeOf } from './packs.ts';
import { countOf } from './problems.ts';
import { openPolicyAt } from './project-dir.ts';
import { findTapes } from './tape/find-tapes.ts';

interface Row {
  readonly rule: string;
  readonly mode: string;
  readonly action: string;
  calls: number;
  readonly examples: string[];
}

const MOST_EXAMPLES = 3;

export const run: Run = async (args, output) => {
  const paths = args.positionals.length > 0 ? args.positionals : ['.'];
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const tapes = [...new Set(paths.flatMap((path) => findTapes(path).files))];
  await loadPatterns();
  const packs = [...new Set(policy.packs.packs.map(({ pack }) => pack))];
  const rows = new Map<string, Row>();
  let calls = 0;
  for (const tape of tapes) {
    for (const payload of toolCalls(tape)) {
      calls++;
      const call = new ToolCall(String(payload.name ?? ''), payload.args ?? null, null, shippedShared());
      const matches = (await Promise.all(packs.map((pack) => call.matches(pack)))).flat();
      const held = new Map(matches.map((match) => [match.rule, match] as const));
      for (const [rule, { command }] of held) {
        const mode = modeOf(rule, policy);
        if (mode === 'off') continue;
        const row = rows.get(rule.name) ?? {
          rule: rule.name,
          mode,
          action: actionOf(rule, mode),
          calls: 0,
          examples: [],
        };
        rows.set(rule.name, row);
        row.calls++;
        const example = clip(command.text.replace(/\s+/g, ' '), 120);
        if (row.examples.length < MOST_EXAMPLES && !row.examples.includes(example))
          row.examples.push(example);
      }
    }
  }
  const sorted = [...rows.values()].sort((a, b) => b.calls - a.calls || (a.rule < b.rule ? -1 : 1));
  if (args.has('json')) {
    output.line(JSON.stringify({ tapes: tapes.length, calls, rules: sorted }));
    return 0;
  }
  output.line(`${countOf(tapes.length, 'tape')}, ${countOf(calls, 'tool call')}`);
  if (sorted.length === 0) output.line('No rule would have stopped any of them.');
  for (const { rule, mode, action, calls: count, examples } of sorted) {
    const verb = mode === 'audit' ? `would ${action}` : action;
    output.line(`${output.paint('cyan', rule)}  ${verb} ${countOf(count, 'call')} (${mode})`);
    for (const example of examples) output.line(`  ${example}`);
  }
  if (sorted.some(({ mode }) => mode === 'audit')) {
    output.line();
    output.line(
      'To put rules in force, change `audit` to `enforce` in harness.md, or take out `observe: true`.',
    );
  }
  return 0;
};

function* toolCalls(tape: string): Generator<{ readonly [key: string]: Json }> {
  for (const chapter of chapters(readTape(tape).entries)) {
    if (chapter.kind !== 'decision') continue;
    const { event, payload } = chapter.story.dispatch.record;
    if (event === 'tool.pre' && isJsonObject(payload)) yield payload;
  }
}
