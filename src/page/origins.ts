/**
 * Where each argument of a recorded call came from: the ledger of its session, made anew from the tape up to that call, and the way of
 * what it names: the entry that said it first, and every file and agent in between.
 */
import { clip, HarnessError, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { Ledger, labelCall, normalised, SessionOrigins, Sources } from '../flow/index.ts';
import type { Policy } from '../policy/index.ts';
import { type Story, TapeFollower } from '../tape/index.ts';
import { decisionRow } from './rows.ts';
import type { OriginsView, Way, WayStep } from './server/api.ts';
import { pacer, type ShownTape } from './tapes.ts';

/** A tape is read up to the call for this: of a longer one the answer would be late. */
const MOST_BYTES = 24 * 1024 * 1024;
const MOST_ARGS = 20;
const MOST_WAYS = 4;
const MOST_PIECES = 3;
const MOST_STEPS = 6;
const LONGEST = 120;
/** Under a fixed key: nobody chooses values against a tape that is written. */
const LEDGER_KEY = '0000000000000000';

export async function argumentOriginsOf(tape: ShownTape, seq: number, policy: Policy): Promise<OriginsView> {
  if (tape.bytes > MOST_BYTES) return { args: [], note: 'the tape is too long to follow its values here' };
  const session = new Followed(new Sources(policy.settings.sources ?? []));
  try {
    for await (const story of storiesIn(tape)) {
      const { dispatch, outcome } = story;
      if (dispatch.seq !== seq && outcome?.seq !== seq) {
        session.hear(story);
        continue;
      }
      const { event, payload } = dispatch.record;
      if (event !== 'tool.pre' || !isJsonObject(payload))
        return { args: [], note: 'only calls have arguments' };
      const args = session.argumentsIn(payload.args ?? null);
      await addSteps(session.ways, storiesIn(tape), seq, policy.dir);
      return { args, note: null };
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { args: [], note: thrown.message };
  }
  return { args: [], note: `entry ${seq} is no call` };
}

async function* storiesIn({ file }: ShownTape): AsyncGenerator<Story> {
  const pause = pacer();
  for (const chapter of new TapeFollower(file).all()) {
    await pause();
    if (chapter.kind === 'decision') yield chapter.story;
  }
}

const NO_SESSION = { id: '', transcriptPath: null, cwd: null };

type Growing = Way & { readonly pieces: string[]; readonly steps: WayStep[] };
/** By the entries that a way begins with, what each did. */
type Starts = ReadonlyMap<number, string>;

/** The session up to the call: its ledger, and which entry wrote which file. */
class Followed {
  private readonly origins: SessionOrigins;
  private readonly sources: Sources;
  private readonly written = new Map<string, Starts>();
  readonly ways = new Map<Growing, Starts>();

  constructor(sources: Sources) {
    this.sources = sources;
    this.origins = new SessionOrigins(new Ledger(LEDGER_KEY), sources);
  }

  hear({ dispatch: { seq, at = 0, record } }: Story): void {
    const { event, payload } = record;
    const heard = { event, payload, session: NO_SESSION, host: {}, at, entry: seq };
    if (event === 'tool.post' && isJsonObject(payload)) {
      const { ledger } = this.origins;
      const { writes } = labelCall(heard, this.sources, {
        untrusted: ledger.untrusted,
        isTainted: () => false,
      });
      const from = this.foreign(payload.args ?? null);
      for (const path of writes)
        this.written.set(normalised(path), new Map([...from, [seq, `written to ${path}`]]));
    }
    this.origins.hear(heard);
  }

  /** Entries that were untrusted and said something of a value. */
  private foreign(value: Json): Map<number, string> {
    const found = new Map<number, string>();
    for (const { source } of this.origins.namesIn(value))
      if (source?.integrity === 'untrusted' && source.entry !== null && found.size < MOST_PIECES)
        found.set(source.entry, source.words);
    return found;
  }

  argumentsIn(args: Json): OriginsView['args'][number][] {
    if (!isJsonObject(args)) return [];
    return Object.entries(args)
      .slice(0, MOST_ARGS)
      .map(([path, value]) => {
        const { origin, source, entries, labels } = this.origins.of(value);
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return {
          path: clip(path, LONGEST),
          value: clip(text.slice(0, LONGEST * 2), LONGEST),
          ...{ origin, entries, labels, ways: this.waysOf(value) },
          source: source === null ? null : clip(source, LONGEST * 2),
        };
      });
  }

  /** What it names, put together by where that began; what is not trusted first. */
  private waysOf(value: Json): Way[] {
    const found = new Map<string, { readonly way: Growing; readonly starts: Starts }>();
    for (const { text, source } of this.origins.namesIn(value)) {
      const file = [...this.written].findLast(([path]) => path === text || path.endsWith(`/${text}`))?.[1];
      const said = source?.entry == null ? null : new Map([[source.entry, source.words]]);
      const starts = file ?? said;
      if (starts === null) continue;
      const key = [...starts.keys()].join(' ');
      const written = file !== undefined && file.size > 1 ? 'untrusted' : 'trusted';
      const origin = file === undefined ? source!.integrity : written;
      const way: Growing = found.get(key)?.way ?? { pieces: [], origin, steps: [] };
      found.set(key, { way, starts });
      if (way.pieces.length < MOST_PIECES && !way.pieces.includes(text)) way.pieces.push(text);
    }
    const ways = [...found.values()]
      .sort((a, b) => Number(b.way.origin === 'untrusted') - Number(a.way.origin === 'untrusted'))
      .slice(0, MOST_WAYS);
    for (const { way, starts } of ways) this.ways.set(way, starts);
    return ways.map(({ way }) => way);
  }
}

/** Reads the tape once more: where each way began, and what carried it on. */
async function addSteps(
  ways: ReadonlyMap<Growing, Starts>,
  stories: AsyncIterable<Story>,
  until: number,
  root: string,
): Promise<void> {
  if (ways.size === 0) return;
  // Paths as the project has them.
  const short = (text: string) => clip(text.replaceAll(`${root}/`, ''), LONGEST);
  for await (const story of stories) {
    const { seq, at = null } = story.dispatch;
    if (seq >= until) return;
    let carried: Carried | null | undefined;
    for (const [{ pieces, steps }, starts] of ways) {
      const start = starts.get(seq);
      carried ??= start === undefined && steps.length === 0 ? undefined : carriedBy(story);
      const goesOn =
        carried != null &&
        (carried.words !== READ_AGAIN || steps.length > 1) &&
        pieces.some((piece) => carried!.text.includes(piece));
      const words = start ?? (goesOn && steps.length > 0 ? carried!.words : undefined);
      if (words === undefined || steps.length >= MOST_STEPS) continue;
      steps.push({ seq, at, words: short(words), text: short(decisionRow('', story).text) });
    }
  }
}

/** What was only said is not read again. */
const READ_AGAIN = 'read again';

interface Carried {
  readonly words: string;
  readonly text: string;
}

/** What takes values on: a file, another agent, a result that says them again. Null for an entry that does not, or did not happen. */
function carriedBy({ dispatch, outcome }: Story): Carried | null {
  const { event, payload } = dispatch.record;
  const action = outcome?.record.action;
  if (!isJsonObject(payload) || action === 'block') return null;
  const make = CARRIES[event];
  return make === undefined ? null : make(payload);
}

const textOf = (value: Json | undefined) => normalised(JSON.stringify(value ?? null));

const CARRIES: Readonly<Record<string, (payload: JsonObject) => Carried | null>> = {
  'tool.post': (payload) => {
    const heard = { event: 'tool.post', payload, session: NO_SESSION, host: {}, at: 0, entry: null };
    const { writes } = labelCall(heard, new Sources([]), { untrusted: false, isTainted: () => false });
    return writes.length > 0
      ? { words: `written to ${writes.join(', ')}`, text: textOf(payload.args) }
      : { words: READ_AGAIN, text: textOf(payload.content ?? payload.result) };
  },
  'delegation.pre': (payload) => ({ words: `given to ${agentIn(payload)}`, text: textOf(payload) }),
  'delegation.post': (payload) => ({
    words: `the answer of ${agentIn(payload)}`,
    text: textOf(payload.result),
  }),
};

function agentIn({ agent }: JsonObject): string {
  return typeof agent === 'string' ? `the agent ${clip(agent, LONGEST)}` : 'a sub-agent';
}
