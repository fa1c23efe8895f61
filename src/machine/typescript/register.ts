/**
 * Makes the Node that loads this first (`--import`) run TypeScript: see hooks.ts. Built into a file of its own, which only a
 * process that was started to run a script ever opens.
 */
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
