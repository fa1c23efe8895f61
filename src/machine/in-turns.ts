/** A loop over files, of which a policy may have thousands: timers get their turn in it, so that a deadline is met. */

/** Often enough for a slow disk, seldom enough to cost nothing. */
const AT_ONCE = 32;

export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    if (++count % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    yield item;
  }
}
