/**
 * `harness tape find`: decisions over a folder of runs, one a line, those of the newest runs first. An index beside the tapes
 * says which of them need not be read; what is shown is read from the tapes.
 */

import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { HarnessError, isJsonObject } from '../../base/index.ts';
import {
  type FoundTape,
  filterOf,
  findIndex,
  findTapes,
  progressOf,
  readFacts,
  sinceOf,
} from '../../project/index.ts';
import {
  chapters,
  hasText,
  isWanted,
  mayMatch,
  readable,
  readTape,
  type Search,
  type Story,
  type TapeFacts,
  toolOf,
} from '../../tape/index.ts';
import {
  type Arguments,
  countOf,
  cut,
  harmless,
  type Output,
  quote,
  type Run,
  type Style,
  UsageError,
  wholeNumber,
} from '../../terminal/index.ts';

export const MOST_SHOWN = 100;

interface Candidate {
  readonly file: string;
  readonly facts: TapeFacts;
}

export const run: Run = (args, output) => {
  const { found, text } = placeAndText(args);
  const limit = wholeNumber(args, 'limit', 1) ?? MOST_SHOWN;
  const search: Search = { ...filterOf(args), since: sinceOf(args), text: text.toLowerCase() };
  const { candidates, problems } = searchTapes(found, search, args.has('fresh'), output);
  for (const problem of problems) output.note(`${output.paintNote('red', 'broken')}: ${problem}`);
  let broken = problems.length;
  let shown = 0;
  let tapes = 0;
  for (const { file, facts } of candidates) {
    if (shown >= limit || output.closed) break;
    const before = shown;
    try {
      for (const story of hitsIn(file, search, facts)) {
        if (shown++ >= limit) break;
        output.line(
          args.has('json')
            ? JSON.stringify(hitData(file, facts.session, story))
            : hitLine(file, story, output),
        );
      }
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      broken++;
      output.note(`${output.paintNote('red', 'broken')}: ${thrown.message}`);
    }
    if (shown > before) tapes++;
  }
  const more = shown > limit || (shown === limit && tapes < candidates.length);
  const count = Math.min(shown, limit);
  if (!args.has('json')) {
    output.line(`${countOf(count, 'decision')} on ${tapes} of ${countOf(found.files.length, 'tape')}`);
  }
  if (more) output.note(`only the first ${limit} are shown; --limit N shows more`);
  return broken === 0 ? 0 : 1;
};

/** One argument is the place if there is such a place, and the text if not. */
function placeAndText({ positionals }: Arguments): { found: FoundTape; text: string } {
  const [first, second] = positionals;
  if (second !== undefined) return { found: findTapes(first), text: second };
  if (first === undefined) return { found: findTapes(), text: '' };
  if (statSync(first, { throwIfNoEntry: false }) === undefined) return { found: findTapes(), text: first };
  try {
    return { found: findTapes(first), text: '' };
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    throw new UsageError(`${thrown.message}; to look for the text write: tape find . ${quote(first)}`);
  }
}

function searchTapes(
  { files, single }: FoundTape,
  search: Search,
  fresh: boolean,
  output: Output,
): { candidates: Candidate[]; problems: string[] } {
  const index = single ? null : findIndex(dirname(files[0]!), fresh);
  const progress = progressOf('reading', output);
  const candidates: Candidate[] = [];
  const problems: string[] = [];
  for (const [i, file] of files.entries()) {
    progress(i, files.length);
    const facts = index === null ? readFacts(file) : index.factsOf(file);
    if ('problem' in facts) problems.push(facts.problem);
    else if (mayMatch(facts, search)) candidates.push({ file, facts });
  }
  index?.save();
  return { candidates: candidates.sort((a, b) => timeOf(b.facts) - timeOf(a.facts)), problems };
}

function timeOf({ last, started }: TapeFacts): number {
  return last ?? (Date.parse(started) || 0);
}

export function* hitsIn(file: string, search: Search, facts: TapeFacts): Generator<Story> {
  const began = Date.parse(facts.started);
  for (const chapter of chapters(readTape(file).entries)) {
    if (chapter.kind !== 'decision') continue;
    const { story } = chapter;
    // A tape without times is as old as its beginning; one that does not say that either may be of any time.
    const at = story.dispatch.at ?? began;
    if (at < search.since || !isWanted(story, search) || !hasText(story, search.text)) continue;
    yield story;
  }
}

export function hitData(file: string, session: string, story: Story): Record<string, unknown> {
  const { dispatch, outcome } = story;
  return {
    session,
    file,
    seq: dispatch.seq,
    at: dispatch.at ?? null,
    event: dispatch.record.event,
    tool: toolOf(story),
    action: outcome?.record.action ?? null,
    hook: outcome?.record.hook ?? null,
    reason: outcome?.record.reason ?? null,
    payload: dispatch.record.payload,
  };
}

const STYLES: Readonly<Record<string, Style>> = { block: 'red', ask: 'yellow', modify: 'yellow' };
const ROOM = { lines: 1, characters: 100 };
/** As much of a name as people tell runs apart by. */
const SHORT_ID = 8;
/** `completion.post`: longer ones are rare. */
const LONG_EVENT = 15;

export function hitLine(file: string, story: Story, output: Output): string {
  const { dispatch, outcome } = story;
  const { event } = dispatch.record;
  const action = outcome?.record.action ?? 'undecided';
  const { hook, reason } = outcome?.record ?? {};
  const why = [hook, reason].flatMap((said) => (said === undefined ? [] : [readable(said)])).join(': ');
  return [
    shownTime(dispatch.at),
    output.paint('cyan', harmless(`${basename(file, '.jsonl').slice(0, SHORT_ID)}:${dispatch.seq}`)),
    harmless(event).padEnd(LONG_EVENT),
    output.paint(STYLES[action] ?? 'green', action.padEnd(7)),
    [oneLine(callText(story)), why === '' ? '' : output.paint('dim', oneLine(why))].join('  '),
  ]
    .join('  ')
    .trimEnd();
}

function shownTime(at: number | undefined): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '-'.padEnd(19) : date.toISOString().slice(0, 19).replace('T', ' ');
}

/** The tool with the argument that says most. */
function callText(story: Story): string {
  const { payload } = story.dispatch.record;
  if (!isJsonObject(payload)) return readable(payload);
  const args = isJsonObject(payload.args) ? payload.args : {};
  const telling = ['command', 'path', 'url', 'query', 'pattern', 'prompt'].find(
    (key) => args[key] !== undefined,
  );
  const tool = toolOf(story);
  if (tool === null) return readable(payload);
  return telling === undefined ? `${tool} ${readable(args)}` : `${tool} ${readable(args[telling])}`;
}

function oneLine(text: string): string {
  return cut(harmless(text).replaceAll('\n', ' '), ROOM);
}
