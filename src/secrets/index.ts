/** One table of secrets, one redactor. */
export type { KnownValue } from './known-values.ts';
export { createValueRedactor, type ValueRedactor } from './redact-value.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export type { Found } from './rule.ts';
export { findSecrets, REDACTED, type Redaction, redactSecrets } from './secrets.ts';
export { secretVariables } from './variables.ts';
