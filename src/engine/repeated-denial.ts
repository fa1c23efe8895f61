/**
 * A denial that the same agent reads again: said plainly, so that it does not try the same for ever. This is how a host renders
 * it; the outcome, the trace and the tape keep the reason as the hook gave it.
 */

/** What a session remembers of its denials: in how many round trips each reason was shown, and in which one last. */
export type ShownDenials = Map<string, { readonly times: number; readonly turn: number }>;

/** So many reasons are remembered; with more, further ones read as new. */
const MOST_REMEMBERED = 1_000;

/**
 * For a host that lives as long as its session: the text to show, which counts as shown. Calls of one round trip were made
 * before the model had read any answer: among them nothing is said again.
 */
export function denialText(shown: ShownDenials, reason: string, turn: number): string {
  const before = shown.get(reason);
  if (before?.turn === turn) return repeatedDenial(reason, before.times - 1);
  const times = before?.times ?? 0;
  if (times > 0 || shown.size < MOST_REMEMBERED) shown.set(reason, { times: times + 1, turn });
  return repeatedDenial(reason, times);
}

/** What is said, also to the model, when nobody has answered a question yet. It names no way to answer. */
export const STAYS_OPEN = 'no answer yet; the question stays open';

/** `times` is how often it has been shown before. An open question is no last word: after a yes the same call passes. */
export function repeatedDenial(reason: string, times: number): string {
  if (times <= 0 || reason.includes(STAYS_OPEN)) return reason;
  const often = times === 1 ? 'once' : `${times} times`;
  return `${reason} (This was refused ${often} before. The same call, or another spelling of it, will be refused again: take another way, or tell the person what you need and why.)`;
}
