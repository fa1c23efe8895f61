/** The language server. */
export { completeScript } from './complete.ts';
export { serve } from './server.ts';
