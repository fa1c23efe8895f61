/** The channel of our own hosts: the person here, the people who look at the user's queue, and the webhook of the user's layer. */
import { machineHost } from '../../base/host.ts';
import type { Approvals } from '../../hooks/approvals.ts';
import type { Asking } from '../../policy/approvals/question.ts';
import { openQueue } from '../../policy/approvals/queue.ts';
import { askAway } from '../../policy/approvals/webhook.ts';
import { type Person, withQueue } from '../../policy/approvals/with-queue.ts';
import type { AskingSettings } from '../../policy/asking-settings.ts';

export interface QueuedOptions {
  readonly about: Pick<Asking, 'host' | 'session' | 'folder'>;
  /** Null: nobody is here. */
  readonly person: Person | null;
  readonly asking: AskingSettings;
  readonly note: (text: string) => void;
}

export function queuedApprovals({ about, person, asking, note }: QueuedOptions): Approvals {
  const queue = openQueue(machineHost);
  const away = queue === null ? null : askAway(asking, queue, machineHost, note);
  return withQueue({ queue, about, person, away });
}
