/**
 * `harness explain COMMAND`: how a command is read, which rules look at it, which hold, and what an exception would change.
 * Nothing is run.
 */
import { isExcepted } from '../frontends/packs/exceptions.ts';
import { lookingRules } from '../frontends/packs/pack.ts';
import { actionOf } from '../frontends/packs/pack-hooks.ts';
import { loadPatterns } from '../frontends/packs/patterns.ts';
import { shippedShared } from '../frontends/packs/shipped.ts';
import { ToolCall } from '../frontends/packs/tool-call.ts';
import { type Command, type CommandReading, readCommand } from '../match/command/index.ts';
import type { Policy } from '../policy/policy.ts';
import { type Run, UsageError } from './command.ts';
import { marksOf } from './command-marks.ts';
import { explainEntry } from './explain-tape.ts';
import type { Output } from './output.ts';
import { knownPacks, modeOf } from './packs.ts';
import { openPolicyAt } from './project-dir.ts';
import { findTapes } from './tape/find-tapes.ts';

interface Held {
  readonly rule: string;
  readonly mode: string;
  readonly action: string;
  readonly command: string;
  readonly reason: string;
  readonly instead: string | undefined;
  /** Why it does not count here. */
  readonly exception: string | null;
}

export const run: Run = async (args, output) => {
  const [text, seq] = args.positionals;
  if (text !== undefined && seq !== undefined) return explainEntry(text, seq, args, output);
  if (text === undefined) throw new UsageError('explain: want a command, in quotes');
  const place = /^([\w.-]+):(\d+)$/.exec(text);
  if (place !== null && isTape(place[1]!)) return explainEntry(place[1]!, place[2]!, args, output);
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const { reading, looking, held } = await studyCommand(text, args.value('shell'), policy);
  if (args.has('json')) {
    const { commands, errors, complete } = reading;
    output.line(JSON.stringify({ complete, errors, commands, looked: [...looking].sort(), held }));
    return 0;
  }
  printReading(reading.commands, output);
  for (const { kind, message } of reading.errors) {
    output.line(`  ${output.paint('yellow', 'not certain')}  ${message} (${kind})`);
  }
  output.line();
  output.line(
    `${looking.size} rules look at it, ${held.length === 0 ? 'none holds.' : `${held.length} hold:`}`,
  );
  for (const each of held) printHeld(each, output);
  return 0;
};

/** `4f1c:21`, as `tape find` and `backtest` print it. If no tape begins so it is a command. */
function isTape(name: string): boolean {
  try {
    return findTapes(name).single;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** How a command is read, which rules look at it and which hold. */
export async function studyCommand(
  text: string,
  shell: string | undefined,
  policy: Policy,
): Promise<{
  readonly reading: CommandReading;
  readonly looking: ReadonlySet<string>;
  readonly held: readonly Held[];
}> {
  await loadPatterns();
  const call = new ToolCall(
    'run_command',
    { command: text, ...(shell !== undefined && { shell }) },
    policy.dir.startsWith('/') ? policy.dir : null,
    shippedShared(),
  );
  const packs = knownPacks(policy);
  const looking = new Set(packs.flatMap((pack) => lookingRules(pack, call.subjects)).map(({ name }) => name));
  const held: Held[] = [];
  for (const pack of packs) {
    for (const match of await call.matches(pack)) {
      const mode = modeOf(match.rule, policy);
      const excepted = isExcepted(policy.packs.exceptions, match, call.cwd, Date.now());
      held.push({
        rule: match.rule.name,
        mode,
        action: mode === 'off' ? 'none' : mode === 'audit' ? 'recorded' : actionOf(match.rule, mode),
        command: match.command.text,
        reason: match.rule.written.reason,
        instead: match.rule.written.instead,
        exception: excepted?.reason ?? null,
      });
    }
  }
  return { reading: readCommand(text, { ...(shell !== undefined && { shell }) }), looking, held };
}

function printReading(commands: readonly Command[], output: Output): void {
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
    ];
    for (const [what, list] of facts) {
      if (list.length > 0) output.line(`    ${output.paint('dim', what)} ${list.join(', ')}`);
    }
  }
}

function printHeld({ rule, mode, action, command, reason, instead, exception }: Held, output: Output): void {
  const style = action === 'block' ? 'red' : action === 'ask' ? 'yellow' : 'dim';
  output.line(`  ${output.paint(style, action)}  ${output.paint('cyan', rule)} (${mode})  ${command}`);
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
