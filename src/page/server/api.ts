/**
 * What the page and its server say to each other: the shapes of the answers under `/api/`. Only types, so that the browser's part
 * can import them too. Texts come as they are on the tape; the page shows them as text.
 */
import type { Json } from '../../base/index.ts';
import type { RuleCount } from '../../policy/index.ts';
import type { TapeSummary } from '../../tape/index.ts';

export interface About {
  readonly version: string;
  /** The folder whose policy is shown. */
  readonly dir: string;
  /** Folders and files that runs are read from. */
  readonly places: readonly string[];
  readonly readOnly: boolean;
  /** Guards that are off, or may be, in sentences. */
  readonly off: readonly string[];
  /** Whether there is a queue of approvals to answer. */
  readonly approvals: boolean;
}

/** One run in a line; what its tape does not say is empty. */
export interface RunRow extends Omit<TapeSummary, 'file' | 'policy' | 'session' | 'host' | 'started'> {
  readonly id: string;
  readonly session: string;
  readonly host: string;
  readonly started: string;
  /** Decisions that fit the search; null without one. */
  readonly hits: number | null;
  /** How much of its tape is read, of 1; what it is counted from. */
  readonly read: number;
}

export interface Runs {
  readonly runs: readonly RunRow[];
  /** Tapes there are; those that nothing is read of yet are not in `runs`. */
  readonly tapes: number;
  readonly done: boolean;
  readonly plots: Plots;
}

export interface Plots {
  /** By day, oldest first, in the reader's time zone. */
  readonly days: readonly { readonly day: string; readonly counts: Readonly<Record<string, number>> }[];
  /** Who stopped and asked, most first. */
  readonly rules: readonly { readonly hook: string; readonly block: number; readonly ask: number }[];
  /** How long hooks took, slowest first; only without a search. */
  readonly times: readonly {
    readonly hook: string;
    readonly p50: number;
    readonly p95: number;
    readonly calls: number;
  }[];
}

/** A line of a list: a decision, or what else the tape has. */
export interface Row {
  readonly run: string;
  readonly seq: number;
  readonly at: number | null;
  /** The event, or of a note its kind. */
  readonly event: string;
  readonly note: boolean;
  readonly tool: string | null;
  /** Null if the tape ends before the decision, and of a note. */
  readonly action: string | null;
  readonly hook: string | null;
  readonly reason: string | null;
  readonly text: string;
  readonly ms: number | null;
  readonly failed: boolean;
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly offset: number;
  /** As many as are known so far. */
  readonly total: number;
  readonly done: boolean;
  /** Only so many are kept: the search should be narrower. */
  readonly capped: boolean;
}

export interface RunDetail {
  readonly run: RunRow;
  readonly file: string;
  readonly policy: string;
  readonly layers: readonly string[];
  /** What was stopped, asked about or sent back, with who did it. */
  readonly stopped: readonly Stopped[];
  readonly samePolicy: boolean | null;
}

export interface Stopped extends Row {
  readonly word: string;
  readonly place: Place | null;
}

/** The line of the file that decided. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  /** The text of that line as it is now; null if the file is another one than it was then. */
  readonly text: string | null;
  /** False: the file has changed since. Null: it is not known. */
  readonly same: boolean | null;
}

export interface Seal {
  readonly state: 'verified' | 'signed' | 'open' | 'broken';
  readonly entries: number;
  readonly firstBroken: number | null;
  readonly problem: string | null;
  readonly key: string | null;
  readonly head: string | null;
}

export interface Decision extends Row {
  readonly word: string;
  readonly about: string;
  readonly payload: Json;
  readonly after: Json | null;
  /** What hooks changed of the payload: the keys down to each place, and what stood there. */
  readonly changes: readonly { readonly path: string; readonly before?: Json; readonly after?: Json }[];
  readonly place: Place | null;
  readonly chain: readonly Link[];
  readonly failure: string | null;
  /** The call as an approver is shown it; null if it is none. */
  readonly call: { readonly lines: readonly string[]; readonly warnings: readonly string[] } | null;
  /** Neighbours that are decisions. */
  readonly previous: number | null;
  readonly next: number | null;
}

/** One hook of the chain, considered. */
export interface Link {
  readonly hook: string;
  readonly source: string;
  readonly layer: string;
  readonly frontEnd: string;
  readonly priority: number;
  readonly mode: string;
  readonly state: 'ran' | 'unmatched' | 'condition_failed' | 'unreached';
  readonly said: string | null;
  readonly reason: string | null;
  readonly counted: boolean;
  readonly ms: number | null;
  readonly steps: number;
  readonly remarks: readonly string[];
  /** What it saw, if that is not what was fired. */
  readonly saw: Json | null;
  readonly gave: Json | null;
  readonly readings: readonly string[];
  readonly effects: readonly string[];
}

export interface Word {
  readonly action: string;
  readonly hook: string | null;
  readonly reason: string | null;
}

/** What today's policy would say of it. */
export interface Today {
  readonly same: boolean | null;
  readonly then: Word;
  readonly now: Word | null;
  readonly note: string | null;
}

export interface PolicyView {
  readonly dir: string;
  readonly digest: string | null;
  readonly strict: boolean;
  readonly layers: readonly { readonly name: string; readonly dir: string }[];
  readonly chains: readonly {
    readonly event: string;
    readonly authority: string;
    readonly hooks: readonly HookView[];
  }[];
  readonly packs: readonly PackView[];
  /** False: tapes are still being read, and what was counted or off in them is not all told. */
  readonly done: boolean;
  /** What packs stopped on tapes that do not name the rule: it is in nobody's count. */
  readonly unnamed: number;
  readonly problems: readonly ProblemView[];
  /** How often each rule asked a person, and what became of it. */
  readonly asking: readonly RuleCount[];
  readonly off: readonly string[];
  /** Runs in which a hook failed and the operation went on. */
  readonly failOpen: readonly {
    readonly run: string;
    readonly count: number;
    readonly last: number | null;
  }[];
  readonly broken: readonly { readonly run: string; readonly problem: string }[];
}

export interface HookView {
  readonly name: string;
  readonly layer: string;
  readonly source: string;
  readonly line: number | null;
  readonly priority: number | null;
  readonly when: string | null;
  readonly description: string | null;
  readonly mode: string;
  readonly frontEnd: string;
  readonly loaded: boolean;
  readonly mayBeOff: string | null;
  readonly traffic: Traffic | null;
}

export interface Traffic {
  readonly calls: number;
  readonly block: number;
  readonly ask: number;
  readonly modify: number;
  readonly failures: number;
  readonly failOpens: number;
  readonly last: number | null;
}

export interface PackView {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly rules: readonly {
    readonly name: string;
    readonly mode: string;
    readonly reason: string;
    readonly hits: number;
    readonly last: number | null;
  }[];
}

export interface ProblemView {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly place: string | null;
}

export type LiveMessage =
  | { readonly kind: 'running'; readonly runs: readonly RunningRow[] }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] };

export interface RunningRow {
  readonly id: string;
  readonly session: string;
  readonly host: string;
  readonly started: string;
}

/** A hook's file as it was read; `digest` says which text that was. */
export interface DraftFile {
  readonly source: string;
  readonly text: string;
  readonly digest: string;
}

export interface DraftFiles {
  readonly hooks: readonly { readonly name: string; readonly source: string; readonly event: string }[];
  readonly events: readonly string[];
}

/** What a policy, or a draft of one, says of one event. */
export interface Tried {
  readonly event: string;
  readonly action: string;
  readonly word: string;
  readonly reason: string | null;
  readonly hook: string | null;
  readonly place: string | null;
  readonly chain: readonly Link[];
  readonly changes: Decision['changes'];
  readonly effects: readonly string[];
  /** What is unusual about the payload. */
  readonly warnings: readonly string[];
  /** Of the draft, or of the whole policy without one. */
  readonly problems: readonly (Omit<ProblemView, 'place'> & {
    readonly line: number | null;
    readonly col: number | null;
  })[];
  /** How the command of the call is read; null if there is none. */
  readonly command: {
    readonly complete: boolean;
    readonly errors: readonly string[];
    readonly commands: readonly {
      readonly text: string;
      readonly program: string;
      readonly args: readonly string[];
      readonly reads: readonly string[];
      readonly writes: readonly string[];
      readonly deletes: readonly string[];
      /** What it was started through, outermost first. */
      readonly via: readonly string[];
      /** What else is known of it, in words. */
      readonly marks: readonly string[];
    }[];
    /** Rules of packs that look at it, and those that hold. */
    readonly looked: readonly string[];
    readonly held: readonly { readonly rule: string; readonly action: string; readonly reason: string }[];
  } | null;
}

export interface BacktestView {
  readonly id: string;
  /** The file that was edited; null: the policy as it is. */
  readonly draft: string | null;
  readonly all: number;
  readonly tapes: number;
  readonly decisions: number;
  readonly same: number;
  readonly done: boolean;
  readonly stopped: boolean;
  readonly error: string | null;
  readonly changedCount: number;
  readonly notReplayable: number;
  readonly counterfactual: number;
  readonly classes: readonly { readonly name: string; readonly count: number }[];
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly broken: readonly string[];
  /** Tapes that failed the self-check: their own decisions do not come out of them once more. */
  readonly unproven: readonly string[];
  readonly changed: readonly ChangedCall[];
}

export interface ChangedCall {
  /** Null if its run is not among those shown. */
  readonly run: string | null;
  readonly session: string;
  readonly seq: number;
  readonly event: string;
  readonly class: string;
  readonly hook: string | null;
  readonly call: string;
  readonly before: Word;
  readonly after: Word;
  /** Another decision of the session has changed before. */
  readonly counterfactual: boolean;
}

export interface ApprovalsView {
  /** Why nobody can answer here; null if somebody can. */
  readonly mute: string | null;
  readonly questions: readonly QuestionView[];
}

/** A question that waits for a person, or did. */
export interface QuestionView {
  readonly id: string;
  /** Of the call: an answer is about exactly this one. */
  readonly digest: string;
  readonly state: 'open' | 'allowed' | 'denied' | 'used' | 'expired';
  readonly host: string;
  readonly session: string;
  readonly folder: string;
  readonly tool: string;
  /** The whole call, with hidden characters written out. */
  readonly call: readonly string[];
  readonly warnings: readonly string[];
  readonly reason: string;
  readonly asks: readonly { readonly rule: string; readonly place: string; readonly reason: string }[];
  readonly asked: number;
  readonly leftMs: number;
  /** The agent asks its own user too. */
  readonly elsewhere: boolean;
  readonly answer: {
    readonly approved: boolean;
    readonly by: string;
    readonly at: number;
    readonly scope: string;
    readonly reason: string | null;
  } | null;
}

/** What the tests of a policy show of it. */
export interface TestsView {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly lines: { readonly hit: number; readonly all: number };
  readonly decisions: { readonly hit: number; readonly all: number };
  readonly untested: readonly { readonly hook: string; readonly place: string; readonly what: string }[];
}
