/** Harness run and demo: the agent at a terminal, its timeline. */
export type { Model } from './choose-model.ts';
export { converse } from './conversation.ts';
export { announce, type Display, displayFor, finish, openScreen, records } from './display.ts';
export { watchInterrupts } from './interrupt.ts';
export { completeCommand, handleLine } from './local-commands.ts';
export { type OpenAgent, type PreparedAgent, prepareAgent, startAgent } from './open-agent.ts';
export { findResume, resumeOption } from './resumed.ts';
