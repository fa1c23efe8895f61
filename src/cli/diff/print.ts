/**
 * What a search for differences found, as people and programs read it: by class and hook, each call as small as it was made,
 * with both reasons. That nothing was found is said as that.
 */
import { clip, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type ComparedOutcome, DEFAULT_CLOCK, type Finding, type SearchResult } from '../../policy/index.ts';
import { countOf, type Output, type Style } from '../../terminal/index.ts';

const LONGEST = 240;
const SHOWN_STEPS = 6;

export function printDiff(result: SearchResult, output: Output): void {
  const { groups, tries, seed } = result;
  const searched = `${tries} ${tries === 1 ? 'try' : 'tries'} (seed ${seed})`;
  if (groups.length === 0)
    output.line(`No difference found in ${searched}. That is no proof that there is none.`);
  for (const group of groups) {
    output.line(
      `${output.paint(styleOf(group.class), group.class)}  ${output.paint('bold', group.hook ?? '(no hook)')}  ${countOf(group.count, 'call')}`,
    );
    for (const finding of group.examples) printFinding(finding, output);
    output.line();
  }
  if (groups.length > 0) {
    const calls = groups.reduce((sum, { count }) => sum + count, 0);
    output.line(`${countOf(calls, 'call')} decided differently, of ${searched}; there may be more kinds`);
  }
  if (result.outOfTime) output.line(output.paint('yellow', 'It ran out of time before all tries were made.'));
}

function printFinding(finding: Finding, output: Output): void {
  const { input, before, after, step } = finding;
  const { steps } = input;
  for (const [at, { event, payload }] of steps.entries()) {
    if (steps.length > SHOWN_STEPS && at > 1 && at < steps.length - 2) {
      if (at === 2) output.line(`  … ${steps.length - 4} more`);
      continue;
    }
    const mark = steps.length > 1 && at === step ? '> ' : '';
    output.line(`  ${mark}${callText(event, payload)}`);
  }
  for (const [name, value] of Object.entries(unusualInput(finding)))
    output.line(output.paint('dim', `    ${name}  ${clip(text(value), LONGEST)}`));
  output.line(`    old  ${answerText(before)}`);
  output.line(`    new  ${answerText(after)}`);
  if (before.payload !== undefined || after.payload !== undefined) {
    if (before.payload !== undefined)
      output.line(output.paint('red', `    - ${clip(text(before.payload), LONGEST)}`));
    if (after.payload !== undefined)
      output.line(output.paint('green', `    + ${clip(text(after.payload), LONGEST)}`));
  }
}

function answerText({ action, reason, hook }: ComparedOutcome): string {
  const by = hook === null ? '' : ` by ${hook}`;
  return clip(`${action}${by}${reason === null ? '' : `: ${reason}`}`, LONGEST).replaceAll('\n', '⏎');
}

function callText(event: string, payload: Json): string {
  if (isJsonObject(payload) && event === 'tool.pre' && typeof payload.name === 'string') {
    const { name, args, ...rest } = payload;
    const more = Object.keys(rest).length === 0 ? '' : ` ${text(rest)}`;
    return clip(`${name} ${text(args ?? {})}${more}`, LONGEST);
  }
  return clip(`${event} ${text(payload)}`, LONGEST);
}

function text(value: Json): string {
  return JSON.stringify(value);
}

/** What of the input is not as usual. */
function unusualInput({ input: { clock, cwd, actor } }: Finding): JsonObject {
  return {
    ...(cwd !== '' && { folder: cwd }),
    ...(clock !== DEFAULT_CLOCK && { clock: new Date(clock).toISOString() }),
    ...(actor !== null && { actor: actor as JsonObject }),
  };
}

/** Letting through what was stopped is what a reviewer must not miss. */
function styleOf(kind: string): Style {
  if (kind.endsWith('->allow')) return 'red';
  return kind.endsWith('->block') ? 'yellow' : 'cyan';
}

export interface DiffedPolicy {
  readonly dir: string;
  readonly digest: string;
}

export function diffData(result: SearchResult, old: DiffedPolicy, next: DiffedPolicy): JsonObject {
  const { groups, tries, seed, outOfTime } = result;
  const classes: Record<string, number> = {};
  for (const { class: kind, count } of groups) classes[kind] = (classes[kind] ?? 0) + count;
  const data = {
    old,
    new: next,
    tries,
    seed,
    outOfTime,
    classes,
    findings: groups.map(({ class: kind, hook, count, examples }) => ({
      class: kind,
      hook,
      count,
      examples: examples.map((finding) => ({
        steps: finding.input.steps,
        step: finding.step,
        ...unusualInput(finding),
        before: finding.before,
        after: finding.after,
      })),
    })),
  };
  return data as unknown as JsonObject;
}
