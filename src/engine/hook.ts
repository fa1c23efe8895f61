/**
 * A hook as the pipeline sees it, whatever front end it came from. A front end is three functions: it reads files into
 * hooks (not here), shows a hook the payload (`view`), and understands what it returned (`interpret`).
 */

import type { Json } from '../base/index.ts';
import type { Host } from '../machine/index.ts';
import type { EventSpec } from './catalog.ts';
import type { Decision, DecisionSite, Effect, Failure, LogLevel, Mode } from './decision.ts';
import type { HookLayer } from './layer.ts';
import type { PolicyContents, WrittenHook } from './policy-contents.ts';
import type { LimitReservation } from './reservations.ts';
import type { RunState } from './run-state.ts';
import type { CallNames } from './tool-names.ts';
import type { Who } from './who.ts';

/** Who wrote a hook. It bounds what the hook may do. */
export type Origin = 'operator' | 'project' | 'profile' | 'runtime';

export type MaybePromise<T> = T | Promise<T>;

export interface Hook {
  readonly name: string;
  /** Canonical, as in the catalog; `custom.x` and `meta.x` whole. */
  readonly event: string;
  /** The event as the author wrote it, if that is another spelling: what a script is told. */
  readonly writtenEvent?: string;
  /** The number in `OnBudgetThreshold(70)`: the host fires the event when it is reached. */
  readonly threshold?: number;
  readonly priority: number;
  /** Path relative to the project, or `<code>`; second key of the order. */
  readonly source: string;
  /** Place within the source; third key of the order. */
  readonly position: number;
  readonly line?: number;
  readonly description?: string;
  /** Stands for a hook that could not be loaded, and fails whenever it is called. */
  readonly standIn?: true;
  /** It only watches: whatever happens to it, no guard is lost. */
  readonly watches?: true;
  /** What it runs or reaches beyond the sandbox, as data of its front end; absent: nothing. */
  readonly capability?: HookCapability;
  readonly frontEnd: FrontEnd;
  readonly origin: Origin;
  /** Set when the hook becomes part of a policy; absent: a hook in code. */
  readonly layer?: HookLayer;
  /** A built-in hook that carries out what this layer wrote: its questions count as that layer's. */
  readonly speaksFor?: HookLayer;
  /** Hooks of its layer with the same one share their `state`; absent: it is the hook's own. */
  readonly stateGroup?: string;
  readonly mode: Mode;
  /** The mode the hook states, where its layer observes and `mode` is therefore `shadow`. */
  readonly statedMode?: Mode;
  readonly onError: 'block' | 'allow' | 'throw';
  /** Instead of `onError`, asked when the hook has failed: what a failure means may hang on whose call it is. */
  readonly failureMode?: FailureMode;
  readonly onWhenError: 'skip' | 'block';
  /** The author wrote `on_error` or `on_when_error` himself: strict replaces defaults, not words. */
  readonly explicit?: { readonly onError?: boolean; readonly onWhenError?: boolean };
  /** An answer that is no decision is a failure, and a failure blocks where the event can be blocked. */
  readonly strict?: boolean;
  /** Its script asks for the policy it is part of. */
  readonly readsPolicy?: true;
  /** The policy it is part of, for a hook that reads it; set when the policy is complete. */
  readonly contents?: PolicyContents;
  /** As its author wrote it; absent: there is no front matter. */
  readonly written?: () => WrittenHook;
  /** Wall clock for one call of condition or body. */
  readonly timeoutMs: number;
  /** Null: matches every dispatch of the event. */
  readonly condition: Condition | null;
  /** Null: a placeholder that allows. */
  readonly body: Body | null;
  /** What of its script has run, if it was loaded to find out. */
  readonly covered?: CoveredScript;
}

/** How often each line of a script ran, by its line in the file, and where it says something. */
export interface CoveredScript {
  lines(): ReadonlyMap<number, number>;
  readonly decisions: readonly { readonly action: string; readonly line: number }[];
  /** Somewhere it adds text that the model reads. */
  readonly addsContext: boolean;
}

/** See `Capability` in frontends/capability.ts, of which this is what a pipeline and a replay need. */
export interface HookCapability {
  readonly kind: string;
  readonly what: string;
  readonly root: string;
  readonly files: Readonly<Record<string, string>>;
}

export interface FailureMode {
  /** As written. */
  readonly text: string;
  /** Whatever it throws, and whatever is no word of `onError`, is `block`. */
  readonly choose: (seen: unknown, call: HookCall) => unknown;
}

export interface Condition {
  /** As written, for `harness hooks` and the trace. */
  readonly text: string;
  /** Throws where the condition itself fails. `seen` is what the front end's `view` gave. */
  readonly test: (seen: unknown, call: HookCall) => MaybePromise<boolean>;
  /** Whether it can raise on a payload of this event; absent: it can. */
  readonly mayRaise?: (spec: EventSpec) => boolean;
  /** The part of the condition that an index can answer. */
  readonly indexable?: IndexableTest;
}

/**
 * A necessary part of a condition: the payload's key `key` is a string among `values`, or begins or ends with one of the others. For
 * `name`, the agent's own name of the tool counts as the payload's does. Whenever that key holds any other string, the condition is
 * certain to be false without raising.
 */
export interface IndexableTest {
  readonly key: string;
  readonly values: readonly string[];
  readonly prefixes?: readonly string[];
  readonly suffixes?: readonly string[];
  /** It is the whole condition: whenever the key holds one of those, the condition is certain to be true. */
  readonly whole?: boolean;
}

/** Runs the handler; may throw anything, which becomes a failure. */
export type Body = (seen: unknown, call: HookCall) => MaybePromise<unknown>;

/** What a reply is made of; `warnings` go to the trace. */
export type Reply =
  | {
      readonly decision: Decision;
      /** Where the script or the rule says it; absent: known only by its hook. */
      readonly site?: DecisionSite | undefined;
      readonly effects?: readonly Effect[];
      readonly warnings?: readonly string[];
      /** Why the answer is taken for this decision although it is none; under `strict` it is a failure. */
      readonly unclear?: string;
    }
  | {
      readonly failure: Failure;
      readonly decision?: undefined;
      readonly effects?: readonly Effect[];
      readonly warnings?: readonly string[];
    };

export interface FrontEnd {
  /** `markdown`, `settings`, `code`, … as `harness hooks` shows it. */
  readonly name: string;
  /** What hooks of this front end may ever do; a decision beyond it is an invalid return. */
  readonly powers: {
    readonly modify: boolean;
    /** Whether a veto of such a hook counts on this event; absent: wherever the event itself can be blocked. */
    readonly block?: (event: string) => boolean;
  };
  /** The canonical payload as such a hook sees it. Called once for each state of the payload and shared by the hooks. */
  readonly view: (event: string, payload: Json, run: RunState, who: Who) => unknown;
  readonly interpret: (returned: unknown, hook: Hook, event: string) => Reply;
  /** A failure from whatever the body or condition threw. */
  readonly explain: (thrown: unknown, hook: Hook) => Failure;
  /** Its bodies are functions of the program itself, which can end it: that one is called is on record before it runs. */
  readonly runsInProgram?: true;
  /** Events such a hook hears of the session itself and not of its sub-agents; absent: none. */
  readonly ownSessionOnly?: ReadonlySet<string>;
}

/** Tables from elsewhere, as they were fetched for one call of a hook. */
export interface FetchedTables {
  readonly tables: ReadonlyMap<string, Json>;
  /** For the log of the call. */
  readonly notes: readonly string[];
  /** Why the hook cannot judge without a table that is not there, and what that means; `mode` null: what any failure of it means. */
  readonly missing: { readonly why: string; readonly mode: Hook['onError'] | null } | null;
}

/** One call of one hook: what its built-ins may reach. Lives until the hook has answered. */
export interface HookCall {
  readonly event: string;
  readonly hook: Hook;
  readonly host: Host;
  readonly run: RunState;
  readonly signal: AbortSignal | null;
  /** Milliseconds the call may take. */
  readonly timeoutMs: number;
  /** Depth of nested dispatch; 0 outside any hook. */
  readonly depth: number;
  /** Dispatches a custom event through the same chain and returns its final payload; a block throws in the emitter. */
  readonly emit: (event: string, payload: Json) => MaybePromise<Json>;
  readonly log: (level: LogLevel, message: string) => void;
  readonly effect: (effect: Effect) => void;
  /** Who is behind the event. */
  readonly who: Who;
  /** The names of the tool that is called, as the payload now stands; null or absent: the event is about no call. */
  readonly toolNames?: CallNames | null;
  /** Keeps what was taken from a limit until it is known what became of the event. */
  readonly addReservation: (reservation: LimitReservation) => void;
  /** Tables from elsewhere, for `data` to find them; absent: the hook names none, or they are still to come. */
  fetched?: FetchedTables;
  /** Condition and body of a hook share one reading of them. */
  fetching?: Promise<FetchedTables>;
  /** Steps the call used, set by the body for the trace. */
  steps: number;
}
