/**
 * A hook as the pipeline sees it, whatever front end it came from. A front end is three functions: it reads files into
 * hooks (not here), shows a hook the payload (`view`), and understands what it returned (`interpret`).
 */
import type { Host } from '../base/host.ts';
import type { Json } from '../base/json.ts';
import type { EventSpec } from '../events/catalog.ts';
import type { Decision, Effect, Failure, LogLevel, Mode } from '../events/decision.ts';
import type { HookLayer } from './layer.ts';
import type { PolicyContents, WrittenHook } from './policy-contents.ts';
import type { Held } from './reservations.ts';
import type { RunState } from './run-state.ts';
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
  readonly power?: HookPower;
  readonly frontEnd: FrontEnd;
  readonly origin: Origin;
  /** Set when the hook becomes part of a policy; absent: a hook in code. */
  readonly layer?: HookLayer;
  /** A built-in hook that carries out what this layer wrote: its questions count as that layer's. */
  readonly speaksFor?: HookLayer;
  /** Hooks of its layer with the same one share their `state`; absent: it is the hook's own. */
  readonly stateGroup?: string;
  readonly mode: Mode;
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
}

/** See `Power` in frontends/power.ts, of which this is what a pipeline and a replay need. */
export interface HookPower {
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
  readonly selects?: Selects;
}

/**
 * A necessary part of a condition: the payload's own key `key` is a string among `values`, or begins or ends with one of the
 * others, or one of `args` holds. Whenever that key holds any other string, and none of those holds, the condition is certain to be
 * false without raising; with `args`, whenever `name` is a string and `args` a dict.
 */
export interface Selects {
  /** `args`: only keys of the arguments count. */
  readonly key: string;
  readonly args?: readonly ArgumentTest[];
  /** Other parts of which the same can be said, each for itself: the index takes the one that tells most hooks apart. */
  readonly others?: readonly Selects[];
  readonly values: readonly string[];
  readonly prefixes?: readonly string[];
  readonly suffixes?: readonly string[];
  /** It is the whole condition: whenever the key holds one of those, the condition is certain to be true. */
  readonly whole?: boolean;
}

/** What a condition asks of one key of the arguments: it holds if any of this does. */
export interface ArgumentTest {
  readonly key: string;
  readonly values?: readonly string[];
  readonly prefixes?: readonly string[];
  readonly suffixes?: readonly string[];
  /** Whatever is under the key. */
  readonly present?: boolean;
  /** There is no such key: what the condition then says, it has to say itself. */
  readonly absent?: boolean;
  /** Something under the key is no text: the same. */
  readonly noText?: boolean;
}

/** Runs the handler; may throw anything, which becomes a failure. */
export type Body = (seen: unknown, call: HookCall) => MaybePromise<unknown>;

/** What a reply is made of; `warnings` go to the trace. */
export type Reply =
  | {
      readonly decision: Decision;
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
  /**
   * The canonical payload as such a hook sees it. Called once for each state of the payload and shared by the hooks.
   * With `viewsExtended` it may be given an `ExtendedObject`, to be made whole only if a hook wants that.
   */
  readonly view: (event: string, payload: Json, run: RunState, who: Who) => unknown;
  readonly viewsExtended?: boolean;
  readonly interpret: (returned: unknown, hook: Hook, event: string) => Reply;
  /** A failure from whatever the body or condition threw. */
  readonly explain: (thrown: unknown, hook: Hook) => Failure;
  /** Its bodies are functions of the program itself, which can end it: that one is called is on record before it runs. */
  readonly runsInProgram?: true;
  /** Events such a hook hears of the session itself and not of its sub-agents; absent: none. */
  readonly ownSessionOnly?: ReadonlySet<string>;
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
  /** Keeps what was taken from a limit until it is known what became of the event. */
  readonly hold: (reservation: Held) => void;
  /** Steps the call used, set by the body for the trace. */
  steps: number;
}
