/** The channel of our own hosts: the person here, the people who look at the user's queue, and the webhook of the user's layer. */

import type { Approvals } from '../../engine/index.ts';
import { machineHost } from '../../machine/index.ts';
import type { AskingSettings } from '../asking-settings.ts';
import type { Asking } from './question.ts';
import { openQueue } from './queue.ts';
import { webhookAsker } from './webhook.ts';
import { type Person, withQueue } from './with-queue.ts';

export interface QueuedOptions {
  readonly about: Pick<Asking, 'host' | 'session' | 'folder'>;
  /** Null: nobody is here. */
  readonly person: Person | null;
  readonly asking: AskingSettings;
  readonly note: (text: string) => void;
}

export function queuedApprovals({ about, person, asking, note }: QueuedOptions): Approvals {
  const queue = openQueue(machineHost);
  const away = queue === null ? null : webhookAsker(asking, queue, machineHost, note);
  return withQueue({ queue, about, person, away });
}
