/**
 * Calls of agents that give them no id. A call is known by its tool, its input and its turn among equal ones: the first
 * result goes to the first of them that was let through. State lives in the session's area, so that parallel processes agree.
 */
import type { RunArea, Stored } from '../engine/index.ts';

/** So many equal calls in a row may have been refused before one that ran. */
const MOST_SKIPPED = 1000;

/** `digest` is that of tool and input. The id is the same for every process that hears of this call. */
export async function openCall(area: RunArea, digest: string): Promise<Stored<string>> {
  const count = await area.incr(`launcher/calls/${digest}`);
  return count.ok ? { ok: true, value: idOf(digest, count.value) } : count;
}

/** It does not run, and no result will come for it. */
export async function refuseCall(area: RunArea, id: string): Promise<Stored<boolean>> {
  return area.once(`launcher/refused/${id}`);
}

/** The call that a result belongs to; an id of its own if no call was seen. */
export async function closeCall(area: RunArea, digest: string): Promise<Stored<string>> {
  const known = await area.entries('launcher/calls/');
  if (!known.ok) return known;
  const opened = Number(known.value.get(digest) ?? 0);
  for (let skipped = 0; skipped < MOST_SKIPPED; skipped++) {
    const count = await area.incr(`launcher/results/${digest}`);
    if (!count.ok) return count;
    const id = idOf(digest, count.value);
    if (count.value > opened) return { ok: true, value: id };
    const ran = await area.once(`launcher/refused/${id}`);
    if (!ran.ok) return ran;
    if (ran.value) return { ok: true, value: id };
  }
  return { ok: true, value: idOf(digest, 0) };
}

function idOf(digest: string, count: number): string {
  return `${digest.slice(0, 16)}-${count}`;
}
