/** Where each argument of a recorded call came from: the ledger of its session, made anew from the tape up to that call. */
import { clip, HarnessError, isJsonObject, type Json } from '../base/index.ts';
import { Ledger, SessionOrigins, Sources } from '../flow/index.ts';
import type { Policy } from '../policy/index.ts';
import { TapeFollower } from '../tape/index.ts';
import type { OriginsView } from './server/api.ts';
import { pacer, type ShownTape } from './tapes.ts';

/** A tape is read up to the call for this: of a longer one the answer would be late. */
const MOST_BYTES = 24 * 1024 * 1024;
const MOST_ARGS = 20;
const LONGEST = 120;
/** Under a fixed key: nobody chooses values against a tape that is written. */
const LEDGER_KEY = '0000000000000000';

export async function originsOf(
  { file, bytes }: ShownTape,
  seq: number,
  policy: Policy,
): Promise<OriginsView> {
  if (bytes > MOST_BYTES) return { args: [], note: 'the tape is too long to follow its values here' };
  const origins = new SessionOrigins(new Ledger(LEDGER_KEY), new Sources(policy.settings.sources ?? []));
  const pause = pacer();
  try {
    for (const chapter of new TapeFollower(file).all()) {
      await pause();
      if (chapter.kind !== 'decision') continue;
      const { dispatch, outcome } = chapter.story;
      const { event, payload } = dispatch.record;
      if (dispatch.seq === seq || outcome?.seq === seq)
        return event === 'tool.pre' && isJsonObject(payload)
          ? { args: argumentsIn(payload.args ?? null, origins), note: null }
          : { args: [], note: 'only calls have arguments' };
      origins.hear({
        event,
        payload,
        session: NO_SESSION,
        host: {},
        at: dispatch.at ?? 0,
        entry: dispatch.seq,
      });
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { args: [], note: thrown.message };
  }
  return { args: [], note: `entry ${seq} is no call` };
}

const NO_SESSION = { id: '', transcriptPath: null, cwd: null };

function argumentsIn(args: Json, origins: SessionOrigins): OriginsView['args'] {
  if (!isJsonObject(args)) return [];
  return Object.entries(args)
    .slice(0, MOST_ARGS)
    .map(([path, value]) => {
      const { origin, source, entries, labels } = origins.of(value);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return {
        path: clip(path, LONGEST),
        value: clip(text.slice(0, LONGEST * 2), LONGEST),
        origin,
        source: source === null ? null : clip(source, LONGEST * 2),
        entries,
        labels,
      };
    });
}
