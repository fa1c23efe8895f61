/**
 * A case of `harness test`: events with their payloads, and what the policy must say to each. Cases come from the front
 * matter of a hook, which then answers alone, and from `.harness/tests/*.yaml`, where the whole policy does.
 */
import type { Json } from '../../base/index.ts';
import type { StarFunction } from '../../starlark/index.ts';

/** What one step must come to; an absent part may be anything. */
export interface Expectation {
  /** An action, or `unmatched`: no hook that somebody wrote was concerned. */
  readonly action?: string;
  /** Text the reason must contain. */
  readonly reason?: string;
  /** RE2 pattern that must be found in the reason. */
  readonly reason_matches?: string;
  /** The hook that decides. */
  readonly hook?: string;
  /** Keys the payload must hold afterwards. */
  readonly payload?: Json;
  /** The whole payload afterwards. */
  readonly payload_is?: Json;
  /** Each must be among the effects: the keys given here must be equal. */
  readonly effects?: readonly Json[];
  /** File beside the test that holds the whole answer. */
  readonly golden?: string;
  /** A hook is meant to fail. Otherwise a failure fails the case, whatever it led to. */
  readonly fails?: boolean;
  /** False: a second look at a rewritten payload may change it again. */
  readonly idempotent?: boolean;
}

export interface TestStep {
  /** Canonical. */
  readonly event: string;
  readonly payload: Json;
  /** Null: it only has to be decided, as a step on the way to a later one. */
  readonly expect: Expectation | null;
  readonly line: number;
}

/** What an address answers in a case. */
export interface HttpStub {
  readonly url: string;
  readonly method?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** It fails with this message instead. */
  readonly error?: string;
}

/** What a program that a hook starts would do in a case. */
export interface CommandStub {
  /** Text of the command line. */
  readonly command: string;
  readonly exit?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

export interface TestCase {
  readonly name: string;
  /** File of the case, relative to the folder of its layer. */
  readonly source: string;
  /** Folder of its layer. */
  readonly dir: string;
  readonly line: number;
  /** The hook that answers alone; null: the whole policy. */
  readonly hook: string | null;
  /** A function of a library that is its own test; then there are no steps. */
  readonly shared?: StarFunction;
  readonly steps: readonly TestStep[];
  /** Milliseconds since the epoch at the first step. */
  readonly clock: number;
  readonly http: readonly HttpStub[];
  readonly commands: readonly CommandStub[];
  readonly env: Readonly<Record<string, string>>;
  /** Why it is not expected to pass yet. */
  readonly todo: string | null;
}

/** The clock of a case that does not set one: a fixed day, so that no case passes only today. */
export const DEFAULT_CLOCK = Date.UTC(2026, 0, 1, 12);

/** What a case has that says nothing of it. */
export const DEFAULT_CASE = {
  hook: null,
  steps: [],
  clock: DEFAULT_CLOCK,
  http: [],
  commands: [],
  env: {},
  todo: null,
} as const;
