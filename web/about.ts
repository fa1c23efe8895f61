/** What the server says of itself, for every page. */
import { signal } from '@preact/signals';

export const readOnly = signal(true);
/** How many questions wait for a person. */
export const waiting = signal(0);
/** The hub of a fleet answers: there are machines, and no policy, questions or anything else of one machine. */
export const atHub = signal(false);
