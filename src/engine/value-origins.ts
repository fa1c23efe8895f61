/**
 * Where values come from, as hooks and packs ask for it: the door to the ledger of a session (src/flow). The engine tells it of every event
 * before the hooks are asked, so that every host, replay and backtest have the same ledger.
 */
import type { Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import type { SessionInfo } from './run-state.ts';

export const VALUE_ORIGINS = ['user', 'trusted', 'untrusted', 'unknown'] as const;

export interface ValueOrigin {
  /** The worst of all parts of the value. `unknown`: no entry has it, and nothing untrusted was read. */
  readonly origin: (typeof VALUE_ORIGINS)[number];
  /** Confidentiality labels of the sources that have it. */
  readonly labels: readonly string[];
  /** Entries of the tape that have it, the first of each source. */
  readonly entries: readonly number[];
  /** The source in words: "a web page read at 10:14 UTC (entry 14)"; null: no source has it. */
  readonly source: string | null;
}

/** An event as the engine was given it. */
export interface ObservedEvent {
  readonly event: string;
  readonly payload: Json;
  readonly session: SessionInfo;
  readonly host: Pick<Host, 'realPath'>;
  /** Time of day in milliseconds. */
  readonly at: number;
  /** Of the tape; null: the session is on none. */
  readonly entry: number | null;
}

/** What an answer to `ask` would endorse: the values, for the sink that asked. */
export interface SinkQuestion {
  readonly call: string;
  readonly sink: string;
  readonly values: readonly string[];
}

export interface ValueOrigins {
  hear(heard: ObservedEvent): void;
  of(value: Json): ValueOrigin;
  /** Addresses, links and accounts in a text that only untrusted sources have, the first one with its source. */
  foreignNames(value: Json): { readonly names: readonly string[]; readonly source: string | null };
  /** Links on hosts that only untrusted sources name, with a part that carries what no untrusted source has in it. */
  carryingLinks(value: Json): { readonly names: readonly string[]; readonly source: string | null };
  /** Whether a prompt of the user has one of these words; true where the host passes no prompts on. */
  asksFor(words: readonly string[]): boolean;
  /** Whether a prompt names this amount or a larger one; true where none names any. */
  asksForAmount(amount: number): boolean;
  /** The tool whose result was the first to name this identifier, as one of its own fields; null: another source had it before. */
  madeBy(id: string): string | null;
  /** Whether the session wrote the file, or one below the folder. */
  isMade(path: string): boolean;
  /** `untrusted` once something untrusted was read, and the confidentiality labels of the session. */
  labels(): readonly string[];
  /** Whether a recipient may have what carries a confidentiality label. */
  mayRead(label: string, reader: string): boolean;
  isEndorsed(sink: string, value: string): boolean;
  /** Asked with an enforced rule: the call endorses the values when it runs. */
  asked(question: SinkQuestion): void;
  endorse(sink: string, value: string): void;
}
