/**
 * Removes what was received before a day, and writes down what went. The first lines of a tape go first, so the rest is proven on
 * from the number and hash of the last line that went.
 */
import type { Removal } from './check.ts';
import { DAY_MS, type Database, dayOf } from './database.ts';

/** With `dry` nothing goes; the answer is what would. */
export async function removeBefore(
  database: Database,
  wanted: number,
  now: number,
  dry: boolean,
): Promise<Removal | null> {
  // The present day stays: hubs are writing into it.
  const day = Math.min(wanted, dayOf(now));
  return database.transaction(async (sql) => {
    const [counts] = await sql.all<Record<string, number>>(
      `SELECT count(DISTINCT tape) AS tapes, count(*) AS segments, COALESCE(sum(decisions), 0) AS decisions,
         COALESCE(sum(to_seq - CASE WHEN from_seq = 0 THEN 1 ELSE from_seq END + 1), 0) AS entries,
         COALESCE(sum(raw_bytes), 0) AS raw_bytes
       FROM segments WHERE day < $1`,
      [day],
    );
    const removal: Removal = {
      removedAt: now,
      before: new Date(day * DAY_MS).toISOString().slice(0, 10),
      tapes: Number(counts!.tapes),
      segments: Number(counts!.segments),
      entries: Number(counts!.entries),
      decisions: Number(counts!.decisions),
      rawBytes: Number(counts!.raw_bytes),
    };
    if (dry || removal.segments === 0) return removal.segments === 0 ? null : removal;
    await sql.all(
      `INSERT INTO removals (removed_at, before_day, tapes, segments, entries, decisions, raw_bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [...[now, day, removal.tapes, removal.segments, removal.entries, removal.decisions], removal.rawBytes],
    );
    await sql.all(
      `UPDATE tapes SET
         first_prev = (SELECT s.head FROM segments s WHERE s.tape = tapes.id AND s.day < $1 ORDER BY s.to_seq DESC LIMIT 1),
         first_seq = (SELECT max(s.to_seq) + 1 FROM segments s WHERE s.tape = tapes.id AND s.day < $1)
       WHERE id IN (SELECT tape FROM segments WHERE day < $1)`,
      [day],
    );
    await database.dialect.dropDays(sql, day);
    return removal;
  });
}
