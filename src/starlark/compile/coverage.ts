/**
 * Line coverage: one counter a statement, reported by the line it begins on.
 */
import type { SourceFile } from '../../base/index.ts';
import type { Stmt } from '../syntax/ast.ts';

export class Coverage {
  readonly counts: number[] = [];
  private readonly starts: number[] = [];
  private readonly slots = new Map<Stmt, number>();

  /** The counter of a statement; the back end adds one to it each time the statement runs. */
  slot(stmt: Stmt): number {
    let slot = this.slots.get(stmt);
    if (slot === undefined) {
      slot = this.counts.push(0) - 1;
      this.starts.push(stmt.start);
      this.slots.set(stmt, slot);
    }
    return slot;
  }

  /** How often each line ran: of several statements on one line, the busiest. */
  lines(source: SourceFile): Map<number, number> {
    const lines = new Map<number, number>();
    this.counts.forEach((count, slot) => {
      const { line } = source.position(this.starts[slot]!);
      lines.set(line, Math.max(lines.get(line) ?? 0, count));
    });
    return new Map([...lines].sort(([a], [b]) => a - b));
  }
}
