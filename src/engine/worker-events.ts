/**
 * The rows of the catalog for work beside a session: what becomes of a worker, which is for watching, and suspending, resuming
 * and draining, which hooks may refuse.
 */

import {
  anything,
  type Field,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  record,
  text,
} from '../base/index.ts';
import { GATE, IGNORED, sessionFields, WATCH } from './event-spec.ts';

const workerFields = {
  id: text('Id of the worker.'),
  name: optional(text('What it was called when it began.')),
  parent_id: optional(nullable(text('Id of who began it.'))),
  ...sessionFields,
};

const worker = record('The worker.', workerFields);
const workerAndWhy = record('The worker.', { ...workerFields, reason: optional(nullable(text('Why.'))) });

const pending = record('What is suspended.', {
  pending: optional(integer('How many workers are suspended.')),
  ids: optional(list('Which, in the order they were suspended.', text('Id of a worker.'))),
  ...sessionFields,
});

const OF_WORKER = { identity: ['id'], index: 'name' } as const;
const OF_ALL = { identity: [], index: null } as const;

/** Told, and nothing more. */
function advisory<F extends Field>(fires: string, payload: F, aliases: readonly string[] = []) {
  return { aliases, fires, authority: 'advisory', honours: WATCH, onBlock: IGNORED, payload } as const;
}

/** May be refused; there is nothing in it to rewrite, and nobody waits to be asked. */
function gate<F extends Field>(alias: string, fires: string, onBlock: string, payload: F) {
  const honours = { ...GATE, ask: false };
  return { aliases: [alias], fires, authority: 'gate', honours, onBlock, payload } as const;
}

const REFUSED = 'the one who asked for it gets the reason.';

export const WORKER_EVENTS = {
  'worker.spawned': { ...advisory('A worker has begun beside the session.', worker), ...OF_WORKER },
  'worker.progressed': {
    ...advisory(
      'A worker reports how far it is.',
      record('The report.', { ...workerFields, progress: optional(anything('What it reports.')) }),
    ),
    ...OF_WORKER,
  },
  'worker.waiting_for_input': {
    ...advisory('A worker cannot go on before somebody answers it.', workerAndWhy),
    ...OF_WORKER,
  },
  'worker.suspended': {
    ...advisory('A worker has been suspended, before `suspend.post`.', workerAndWhy),
    ...OF_WORKER,
  },
  'worker.resumed': {
    ...advisory('A suspended worker goes on, before `resume.post`.', workerAndWhy),
    ...OF_WORKER,
  },
  'worker.completed': {
    ...advisory(
      'A worker has done its work.',
      record('The worker.', { ...workerFields, result: optional(anything('What came of it.')) }),
    ),
    ...OF_WORKER,
  },
  'worker.failed': { ...advisory('A worker has ended with an error.', workerAndWhy), ...OF_WORKER },
  'worker.cancelled': { ...advisory('A worker was ended by somebody else.', workerAndWhy), ...OF_WORKER },
  'suspend.pre': {
    ...gate(
      'PreSuspend',
      'A worker is about to be suspended.',
      `The worker goes on; ${REFUSED}`,
      workerAndWhy,
    ),
    ...OF_WORKER,
  },
  'suspend.post': {
    ...advisory('A worker has been suspended.', workerAndWhy, ['PostSuspend']),
    ...OF_WORKER,
  },
  'resume.pre': {
    ...gate(
      'PreResume',
      'A suspended worker is about to go on.',
      `The worker stays suspended; ${REFUSED}`,
      workerAndWhy,
    ),
    ...OF_WORKER,
  },
  'resume.post': { ...advisory('A suspended worker goes on.', workerAndWhy, ['PostResume']), ...OF_WORKER },
  'drain.pre': {
    ...gate(
      'PreDrain',
      'What is suspended is about to be settled, one worker after the other.',
      `Nothing is settled; ${REFUSED}`,
      pending,
    ),
    ...OF_ALL,
  },
  'drain.decision': {
    ...advisory(
      'It has been decided what becomes of one suspended worker.',
      record('The decision.', {
        ...workerFields,
        decision: oneOf('What becomes of it.', ['resume', 'cancel', 'keep']),
      }),
      ['OnDrainDecision'],
    ),
    ...OF_WORKER,
  },
  'drain.post': {
    ...advisory('Every suspended worker has been decided on.', pending, ['PostDrain']),
    ...OF_ALL,
  },
};
