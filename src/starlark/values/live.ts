/**
 * A name of the environment whose value belongs to the run: it is asked for each time the name is read. The program itself
 * is compiled once for all runs.
 */
import type { Thread } from '../run/thread.ts';
import { type ReprWriter, StarObject, type Value } from './value.ts';

export class Live extends StarObject {
  readonly type = 'live';
  readonly name: string;
  private readonly ask: (thread: Thread) => Value;

  constructor(name: string, ask: (thread: Thread) => Value) {
    super();
    this.name = name;
    this.ask = ask;
  }

  /** A module whose top level reads it is no function of nothing. */
  read(thread: Thread): Value {
    thread.impureCalls++;
    return this.ask(thread);
  }

  override writeRepr(out: ReprWriter): void {
    out.text(`<live ${this.name}>`);
  }
}
