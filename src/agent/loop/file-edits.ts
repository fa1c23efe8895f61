/**
 * Files that were written, from the code that wrote them to `file.edited`: queued when it happens, fired at the next boundary
 * between two round trips, in the order in which they were written. None is lost, and none fires twice.
 */
import type { JsonObject } from '../../base/index.ts';
import { failOn, fire, sessionFields, throwIfEnded } from './fire.ts';
import type { Scope } from './state.ts';

export interface FileEdit {
  readonly path: string;
  /** What the writer says about it. */
  readonly metadata?: JsonObject;
}

/** What an abort or a failing hook leaves in the queue fires at the next boundary there is. */
export async function drainEdits(scope: Scope): Promise<void> {
  const { edited } = scope.state;
  for (let edit = edited.shift(); edit !== undefined; edit = edited.shift()) {
    const outcome = await fire(scope, 'file.edited', { ...edit, ...sessionFields(scope.state) });
    throwIfEnded(scope);
    failOn(outcome);
  }
}
