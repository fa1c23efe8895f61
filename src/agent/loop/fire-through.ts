/**
 * Fires events of what surrounds a session (pipelines, workers) through whichever hooks there are: those of a session, and
 * then onto its stream too, or those of an engine alone.
 */
import type { JsonObject } from '../../base/index.ts';
import type { CatalogName, Engine, Outcome } from '../../engine/index.ts';
import type { Session } from '../session.ts';

export async function fireThrough(
  hooks: Engine | Session,
  event: CatalogName,
  payload: JsonObject,
  signal: AbortSignal | null = null,
): Promise<Outcome> {
  if (isEngine(hooks)) return hooks.decide(event, payload, { signal });
  const whole = { ...payload, session_id: hooks.id, turn: hooks.turns };
  return hooks.fire(event, whole, signal === null ? {} : { signal });
}

export function isEngine(hooks: Engine | Session): hooks is Engine {
  return 'decide' in hooks;
}
