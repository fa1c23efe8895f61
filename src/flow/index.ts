/** The door of information flow: labels of sources, the ledger of a session, the origins of values. */
export { labelCall } from './call-label.ts';
export { LEDGER_LIMITS, Ledger } from './ledger.ts';
export { isIdentifier, SessionOrigins } from './session-origins.ts';
export { isToolOfAgent, SOURCES, Sources, type WrittenSources } from './sources.ts';
export { namesReachable, normalised } from './tokens.ts';
