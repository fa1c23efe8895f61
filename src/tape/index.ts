/**
 * The tape for programs: record what an engine decides, prove it, decide it again.
 */
export type { CallRecorder, DispatchRecorder, EngineRecorder, Recorder } from '../hooks/recorder.ts';
export type { LayerDigest, PolicyDigest, PolicyHook } from '../policy/policy-digest.ts';
export { type PolicySource, policyDigest } from '../policy/policy-digest.ts';
export { AUDIT_COLUMNS, type AuditRow, auditTape } from './audit.ts';
export type { EntryBody } from './chain.ts';
export type {
  CallRecord,
  CallVerdict,
  DecisionRecord,
  Entry,
  Header,
  HookPart,
  Reading,
  TapeRecord,
} from './entry.ts';
export { FileTapeStore, type FileTapeStoreOptions } from './file-store.ts';
export { type LongRecord, longForm } from './long-form.ts';
export { MemoryTapeStore } from './memory-store.ts';
export {
  type CallReport,
  type OpenTape,
  type OpenTapeOptions,
  openTape,
  type Recording,
  type RunReport,
} from './open-tape.ts';
export { prometheusText } from './prometheus.ts';
export { type RecordSink, TapeRecorder, type TapeRecorderOptions } from './record.ts';
export { createRedactor, type Redact, type RedactionRule, type RedactOptions } from './redact.ts';
export {
  type Difference,
  type NotReplayable,
  type ReplayOptions,
  type ReplayReport,
  replayTape,
} from './replay.ts';
export { readSigningKey, readVerifyingKey, writeKeyPair } from './sign.ts';
export { TapeStats } from './stats.ts';
export type {
  Appended,
  Line,
  StoredTape,
  TapeAt,
  TapeBatch,
  TapeFilter,
  TapeInfo,
  TapeSource,
  TapeStore,
} from './store.ts';
export { readTape, type Tape, type TapeLater } from './tape-reader.ts';
export { type Verification, verifyTape } from './verify.ts';
export { type Acknowledge, type TapeOptions, TapeWriter } from './writer.ts';
