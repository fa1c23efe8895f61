/** The beginning of every row: nothing is honoured, until it was seen. */
import type { Honours } from './adapter.ts';

export const WATCHED: Honours = { block: false, ask: false, modify: false, context: false, message: false };
