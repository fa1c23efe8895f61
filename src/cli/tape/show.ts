/**
 * `harness tape show`: a tape as a timeline, one line a decision, narrowed by filters; or everything about one decision.
 */
import { isJsonObject, type Json } from '../../base/index.ts';
import type { Action } from '../../engine/index.ts';
import {
  chapterOf,
  type DecidingPlace,
  decidingPlace,
  filterOf,
  newestTape,
  policyOfTape,
  printStory,
  storyData,
} from '../../project/index.ts';
import {
  ChainAtEntry,
  type Chapter,
  chapters,
  hasFailure,
  isWanted,
  readable,
  readTape,
  type Story,
  toolOf,
} from '../../tape/index.ts';
import {
  ACTION_STYLES,
  cut,
  harmless,
  type Output,
  type Run,
  type Style,
  UsageError,
  wholeNumber,
} from '../../terminal/index.ts';

export const run: Run = async (args, output) => {
  const file = newestTape(args.positionals[0], output);
  const seq = wholeNumber(args, 'seq', 1);
  const filter = filterOf(args);
  const filtered = Object.values(filter).some((value) => value !== undefined && value !== false);
  if (seq !== undefined && filtered) throw new UsageError('--seq shows one decision; it takes no filter');
  const { header, entries } = readTape(file);
  if (seq !== undefined) {
    const place = async (story: Story) => {
      const { event } = story.dispatch.record;
      const chain = new ChainAtEntry(header);
      for (const entry of chain.listen(entries, seq)) if (entry.seq >= seq) break;
      const then = chain.hooks.find((row) => row.event === event && row.name === story.outcome?.record.hook);
      return decidingPlace(await policyOfTape(file), story, then);
    };
    return showOne(chapterOf(file, seq), seq, { json: args.has('json'), output, place });
  }
  if (!args.has('json')) {
    output.line(
      `${output.paint('bold', harmless(header.session))}  ${output.paint('dim', harmless(about(header)))}`,
    );
  }
  let shown = 0;
  const all = chapters(entries);
  for (const chapter of args.has('json') ? all : withoutRepeats(all)) {
    if (output.closed) break;
    if (chapter.kind === 'session' ? filtered : !isWanted(chapter.story, filter)) continue;
    shown++;
    if (args.has('json')) output.line(JSON.stringify(chapterData(chapter)));
    else for (const line of chapterLines(chapter, output)) output.line(line);
  }
  if (shown === 0 && !args.has('json'))
    output.line(filtered ? 'Nothing on this tape fits.' : 'Nothing happened.');
  return 0;
};

function about({
  host,
  started,
  policy,
}: {
  host: string;
  started: string;
  policy: { digest: string };
}): string {
  return `${host}, ${started}, policy ${policy.digest.slice(0, 12)}`;
}

interface Showing {
  readonly json: boolean;
  readonly output: Output;
  readonly place: (story: Story) => Promise<DecidingPlace | null>;
}

async function showOne(
  chapter: Chapter | null,
  seq: number,
  { json, output, place }: Showing,
): Promise<number> {
  if (chapter === null) throw new UsageError(`the tape has no entry ${seq}`);
  if (chapter.kind === 'decision') {
    const decided = await place(chapter.story);
    if (json) output.line(JSON.stringify(storyData(chapter.story, decided)));
    else printStory(chapter.story, output, decided);
  } else if (json) output.line(JSON.stringify(chapterData(chapter)));
  else {
    const { kind, data } = chapter.entry.record;
    output.line(`${seq}  ${kind}\n${JSON.stringify(data, null, 2)}`);
  }
  return 0;
}

/** Every call of a launcher begins and ends a run: of those that say nothing new only the last end is told. */
function* withoutRepeats(all: Iterable<Chapter>): Generator<Chapter> {
  let begun = '';
  let ended: Chapter | null = null;
  for (const chapter of all) {
    ended = null;
    const record = chapter.kind === 'session' ? chapter.entry.record : null;
    if (record?.kind === 'closed') {
      ended = chapter;
      continue;
    }
    if (record?.kind === 'run' && isJsonObject(record.data)) {
      const { run: _, ...about } = record.data;
      if (begun === JSON.stringify(about)) continue;
      begun = JSON.stringify(about);
    }
    yield chapter;
  }
  if (ended !== null) yield ended;
}

function chapterData(chapter: Chapter): Record<string, unknown> {
  if (chapter.kind === 'decision') return storyData(chapter.story);
  const { seq, record, at = null } = chapter.entry;
  return { seq, kind: record.kind, data: record.data, at };
}

const ROOM = { lines: 1, characters: 100 };
/** Why something was decided is what people look for. */
const REASON = { lines: 1, characters: 400 };

function chapterLines(chapter: Chapter, output: Output): string[] {
  if (chapter.kind === 'session') {
    const { seq, record } = chapter.entry;
    if (record.kind === 'call') return [callLine(seq, record.data, output)];
    const notes = isJsonObject(record.data) ? record.data.notes : undefined;
    const told = Array.isArray(notes)
      ? oneLine(notes.map(readable).join('; '), REASON)
      : oneLine(record.data);
    return [output.paint('dim', `${number(seq)}  ${harmless(record.kind).padEnd(18)} ${told}`.trimEnd())];
  }
  return [decisionLine(chapter.story, output), ...failureLines(chapter.story, output)];
}

/** Verdicts that let the tool run, and the model see what it said. */
const CALL_STYLES: Readonly<Record<string, Style>> = { ran: 'green', failed: 'yellow', hidden: 'yellow' };

function callLine(seq: number, data: Json, output: Output): string {
  const call = isJsonObject(data) ? data : {};
  const verdict = readable(call.verdict);
  const parts = [
    number(seq),
    'call'.padEnd(18),
    harmless(readable(call.tool)).padEnd(16),
    output.paint(CALL_STYLES[verdict] ?? 'red', harmless(verdict).padEnd(9)),
    [call.by, call.reason].flatMap((said) => (said ? [oneLine(said)] : [])).join(': '),
  ];
  return parts.join('  ').trimEnd();
}

function decisionLine(story: Story, output: Output): string {
  const { dispatch, outcome } = story;
  const action = outcome?.record.action ?? 'undecided';
  const inner = dispatch.record.parent === undefined ? '' : '↳ ';
  const parts = [
    number(dispatch.seq),
    harmless(`${inner}${dispatch.record.event}`).padEnd(18),
    harmless(toolOf(story) ?? '').padEnd(16),
    output.paint(ACTION_STYLES[action as Action] ?? 'yellow', action.padEnd(9)),
    decider(story),
  ];
  return parts.join('  ').trimEnd();
}

function decider(story: Story): string {
  const { turns, outcome } = story;
  if (outcome === null) return 'the tape ends before the decision';
  const { hook, reason, action } = outcome.record;
  if (hook !== undefined)
    return `${harmless(hook)}${reason === undefined ? '' : `: ${oneLine(reason, REASON)}`}`;
  if (action === 'allow' && turns.length === 0) return '';
  return `asked ${turns.map((turn) => harmless(turn.hook)).join(', ')}`;
}

function failureLines(story: Story, output: Output): string[] {
  if (!hasFailure(story)) return [];
  return story.turns.flatMap(({ hook, end }) => {
    if (end?.record.type !== 'hook_failed') return [];
    const { failure, policy, reason } = end.record;
    const why = oneLine(failure?.message ?? reason ?? 'its condition raised');
    return [`        ${output.paint('red', '!')} ${harmless(hook)} failed, ${policy}: ${why}`];
  });
}

function number(seq: number): string {
  return String(seq).padStart(6);
}

function oneLine(value: Json, room = ROOM): string {
  return cut(harmless(readable(value)).replaceAll('\n', ' '), room);
}
