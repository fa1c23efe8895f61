/** What the server says of itself, for every page. */
import { signal } from '@preact/signals';

export const readOnly = signal(true);
/** How many questions wait for a person. */
export const waiting = signal(0);
