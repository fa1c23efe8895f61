/**
 * `harness report`: what the policy in force, its hooks and rules that only watch among them, would have stopped of the tool calls on
 * tapes: by rule or hook, with the line and with examples.
 */
import { clip, isJsonObject, type Json } from '../base/index.ts';
import { hostFolder } from '../engine/index.ts';
import { Ledger, SessionOrigins, Sources } from '../flow/index.ts';
import { actionOf, shippedShared, ToolCall } from '../packs/index.ts';
import type { Policy } from '../policy/index.ts';
import { callText, findTapes, judgeCall, modeOf, outcomeWithout, placeText } from '../project/index.ts';
import { chapters, readTape } from '../tape/index.ts';
import { countOf, openPolicyAt, type Run } from '../terminal/index.ts';

interface Row {
  readonly rule: string;
  readonly mode: string;
  readonly action: string;
  /** The line that says it. */
  readonly place: string;
  calls: number;
  readonly examples: string[];
}

const MOST_EXAMPLES = 3;
const WATCHING: ReadonlySet<string> = new Set(['audit', 'shadow', 'warn']);

export const run: Run = async (args, output) => {
  const paths = args.positionals.length > 0 ? args.positionals : ['.'];
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const tapes = [...new Set(paths.flatMap((path) => findTapes(path).files))];
  const packs = [...new Set(policy.packs.packs.map(({ pack }) => pack))];
  const left = outcomeWithout(policy);
  const rows = new Map<string, Row>();
  const count = (about: Omit<Row, 'calls' | 'examples'>, text: string) => {
    const row = rows.get(about.rule) ?? { ...about, calls: 0, examples: [] };
    rows.set(about.rule, row);
    row.calls++;
    const example = clip(text.replace(/\s+/g, ' '), 160);
    if (row.examples.length < MOST_EXAMPLES && !row.examples.includes(example)) row.examples.push(example);
  };
  let calls = 0;
  for (const tape of tapes) {
    const origins = originsFor(policy);
    for (const { event, payload, at, entry } of decisions(tape)) {
      if (event !== 'tool.pre' || !isJsonObject(payload)) {
        origins?.hear({ event, payload, session: NO_SESSION, host: {}, at, entry });
        continue;
      }
      calls++;
      const cwd = hostFolder(payload, NO_SESSION);
      const call = new ToolCall(String(payload.name ?? ''), payload.args ?? null, cwd, shippedShared());
      const matches = packs.flatMap((pack) => [...call.matches(pack), ...call.flows(pack, origins)]);
      const held = new Map(matches.map((match) => [match.rule, match] as const));
      for (const [rule, { command, finding }] of held) {
        const mode = modeOf(rule, policy);
        if (mode === 'off') continue;
        // The call ran: the yes that it would have needed counts for those that follow.
        if (finding !== undefined) origins?.asked({ call: String(payload.id ?? ''), ...finding });
        const place = rule.site === undefined ? rule.name : placeText(rule.site);
        const says = finding === undefined ? command.text : `${command.text}: ${finding.says}`;
        count({ rule: rule.name, mode, action: actionOf(rule, mode), place }, says);
      }
      const { objections } = await judgeCall(policy, payload, tape);
      for (const { hook, mode, action, place } of objections.filter(({ isPack }) => !isPack)) {
        count({ rule: hook, mode, action, place }, callText({ event: 'tool.pre', payload }));
      }
    }
  }
  const sorted = [...rows.values()].sort((a, b) => b.calls - a.calls || (a.rule < b.rule ? -1 : 1));
  if (args.has('json')) {
    const notTried = left.map(({ name }) => name);
    output.line(JSON.stringify({ tapes: tapes.length, calls, rules: sorted, notTried }));
    return 0;
  }
  output.line(`${countOf(tapes.length, 'tape')}, ${countOf(calls, 'tool call')}`);
  if (sorted.length === 0) output.line('Nothing would have stopped any of them.');
  for (const { rule, mode, action, calls: number, examples, place } of sorted) {
    const verb = WATCHING.has(mode) ? `would ${action}` : action;
    output.line(
      `${output.paint('cyan', rule)}  ${verb} ${countOf(number, 'call')} (${mode})  ${output.paint('dim', place)}`,
    );
    for (const example of examples) output.line(`  ${example}`);
  }
  for (const { name } of left)
    output.line(`not tried: hook "${name}" starts programs, loads code or sends data`);
  if (sorted.some(({ mode }) => WATCHING.has(mode))) {
    output.line();
    output.line(
      'To put rules in force, change `audit` to `enforce` in harness.md, or take out `observe: true`.',
    );
  }
  return 0;
};

interface FiredEvent {
  readonly event: string;
  readonly payload: Json;
  readonly at: number;
  readonly entry: number;
}

function* decisions(tape: string): Generator<FiredEvent> {
  for (const chapter of chapters(readTape(tape).entries)) {
    if (chapter.kind !== 'decision') continue;
    const { seq, at = 0, record } = chapter.story.dispatch;
    yield { event: record.event, payload: record.payload, at, entry: seq };
  }
}

const NO_SESSION = { id: '', transcriptPath: null, cwd: null };

/** The ledger of one tape, by the sources of the policy as it is now. */
function originsFor({ settings: { sources } }: Policy): SessionOrigins | null {
  return sources === null ? null : new SessionOrigins(new Ledger('0000000000000000'), new Sources(sources));
}
