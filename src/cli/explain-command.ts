/**
 * `harness explain COMMAND`: what a command does, how it is read, what the whole policy decides and on which line, which rules
 * match, and what an exception would change. Nothing is run.
 */
import type { JsonObject } from '../base/index.ts';
import {
  findTapes,
  judgeCall,
  type MatchedRule,
  marksOf,
  outcomeWithout,
  studyCommand,
} from '../project/index.ts';
import {
  type Command,
  effectsIn,
  effectsOf,
  effectText,
  type RunLocation,
  sentencesFor,
} from '../shell/index.ts';
import { countOf, type Output, openPolicyAt, type Run, UsageError } from '../terminal/index.ts';
import { explainEntry } from './explain-tape.ts';

export const run: Run = async (args, output) => {
  const [text, seq] = args.positionals;
  if (text !== undefined && seq !== undefined) return explainEntry(text, seq, args, output);
  if (text === undefined) throw new UsageError('explain needs a command, in quotes');
  const entry = /^([\w.-]+):(\d+)$/.exec(text);
  if (entry !== null && isTape(entry[1]!)) return explainEntry(entry[1]!, entry[2]!, args, output);
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const { reading, checked, matched } = await studyCommand(text, args.value('shell'), policy);
  const folder = policy.dir.startsWith('/') ? policy.dir : null;
  const place: RunLocation = { cwd: folder, workspaces: folder === null ? [] : [folder], home: null };
  const summary = sentencesFor(effectsIn(reading, place));
  const left = outcomeWithout(policy);
  const judged = policy.empty ? null : await judgeCall(policy, callOf(text, args.value('shell')), 'explain');
  if (args.has('json')) {
    const { commands, errors, complete } = reading;
    const effects = effectsIn(reading, place).map(effectText);
    output.line(
      JSON.stringify({
        summary,
        effects,
        complete,
        errors,
        commands,
        looked: [...checked].sort(),
        held: matched,
        decision: judged === null ? null : decisionData(judged),
        notTried: left.map(({ name }) => name),
      }),
    );
    return 0;
  }
  for (const sentence of summary) output.line(sentence);
  printReading(reading.commands, place, output);
  for (const { kind, message } of reading.errors) {
    output.line(`  ${output.paint('yellow', 'not certain')}  ${message} (${kind})`);
  }
  output.line();
  if (judged === null) output.line('No policy here, so nothing is stopped. `harness init` writes one.');
  else printDecision(judged, output);
  for (const { name } of left)
    output.line(`not tried: hook "${name}" starts programs, loads code or sends data`);
  output.line(
    `${countOf(checked.size, 'rule')} checked, ${matched.length === 0 ? 'none matched.' : `${matched.length} matched:`}`,
  );
  for (const each of matched) printMatched(each, output);
  return 0;
};

/** As an agent would make the call: by any name of the tool. */
function callOf(command: string, shell: string | undefined): JsonObject {
  const args = { command, ...(shell !== undefined && { shell }) };
  return { id: 'explain', name: 'run_command', args, native: { name: 'Bash' } };
}

type Judged = Awaited<ReturnType<typeof judgeCall>>;

function decisionData({ outcome: { action, reason, hook }, objections }: Judged) {
  const place = objections.find(({ decided }) => decided)?.place ?? null;
  return { action, reason, hook, place, objections };
}

function printDecision({ outcome, objections }: Judged, output: Output): void {
  const { action, hook, reason } = outcome;
  const style = action === 'block' ? 'red' : action === 'ask' ? 'yellow' : 'green';
  const place = objections.find(({ decided }) => decided)?.place;
  const by = hook === null ? '' : ` by ${hook}${place === undefined ? '' : ` (${place})`}`;
  output.line(`The policy here: ${output.paint(style, action)}${by}${reason === null ? '' : `: ${reason}`}`);
  for (const other of objections.filter(({ decided, isPack }) => !decided && !isPack)) {
    const verb = other.mode === 'enforce' ? other.action : `would ${other.action} (${other.mode})`;
    output.line(
      `  ${other.hook} (${other.place}): ${verb}${other.reason === null ? '' : `: ${other.reason}`}`,
    );
  }
}

/** `4f1c:21`, as `tape find` and `backtest` print it. If no tape begins so it is a command. */
function isTape(name: string): boolean {
  try {
    return findTapes(name).single;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

function printReading(commands: readonly Command[], place: RunLocation, output: Output): void {
  output.line(output.paint('bold', 'It is read as:'));
  for (const command of commands) {
    const name = command.program === '' ? '(no program)' : [command.program, ...command.args].join(' ');
    output.line(`  ${output.paint('cyan', name)}`);
    const facts: [string, readonly string[]][] = [
      ['reads', command.reads],
      ['writes', command.writes],
      ['deletes', command.deletes],
      ['through', command.via],
      ['fed by', command.sources.map(({ program }) => program)],
      ['is', marksOf(command)],
      ['does', effectsOf(command, place).map(effectText)],
    ];
    for (const [what, list] of facts) {
      if (list.length > 0) output.line(`    ${output.paint('dim', what)} ${list.join(', ')}`);
    }
  }
}

function printMatched(
  { rule, mode, action, command, reason, instead, exception, place }: MatchedRule,
  output: Output,
): void {
  const style = action === 'block' ? 'red' : action === 'ask' ? 'yellow' : 'dim';
  output.line(
    `  ${output.paint(style, action)}  ${output.paint('cyan', rule)} (${mode})  ${command}  ${output.paint('dim', place)}`,
  );
  output.line(`    ${reason}`);
  if (instead !== undefined) output.line(`    instead: ${instead}`);
  if (exception !== null) output.line(`    ${output.paint('green', 'does not count here')}: ${exception}`);
  else if (action !== 'none' && action !== 'recorded') {
    output.line(
      output.paint(
        'dim',
        `    an exception {rule: ${rule}, folder: …, expires: …, reason: …} would let it pass`,
      ),
    );
  }
}
