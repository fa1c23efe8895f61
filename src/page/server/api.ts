/**
 * What the page and its server say to each other: the shapes of the answers under `/api/`. Only types, so that the browser's part
 * can import them too. Texts come as they are on the tape; the page shows them as text.
 */
import type { Json } from '../../base/index.ts';
import type { RuleCount } from '../../policy/index.ts';
import type { TapeSummary } from '../../tape/index.ts';

export interface About {
  /** What answers: one machine, or the hub of a fleet. */
  readonly source: 'machine' | 'hub';
  readonly version: string;
  /** The folder whose policy is shown. */
  readonly dir: string;
  /** Folders and files that runs are read from. */
  readonly places: readonly string[];
  readonly readOnly: boolean;
  /** Guards that are off, or may be. */
  readonly warnings: readonly Warning[];
  /** Whether there is a queue of approvals to answer. */
  readonly approvals: boolean;
}

/** A guard that is off or doubtful, with the one thing to do about it. */
export interface Warning {
  /** Another text has another id: a warning that was dismissed comes back once it says something else. */
  readonly id: string;
  readonly text: string;
  /** A command to type; null if `href` says more, or nothing is to be done here. */
  readonly command: string | null;
  /** A view of the page. */
  readonly href: string | null;
}

/** Whether everything is guarded. */
export interface Guards {
  /** `none`: no policy, or one without a hook. */
  readonly state: 'on' | 'doubtful' | 'none';
  /** Hooks and rules in force. */
  readonly hooks: number;
  readonly rules: number;
  readonly strict: boolean;
  /** Agents and servers of this machine; machines of a fleet. */
  readonly guarded: readonly Guarded[];
  readonly warnings: readonly Warning[];
}

export interface Guarded {
  readonly name: string;
  readonly kind: 'agent' | 'server' | 'machine' | 'program';
  readonly state: 'on' | 'doubtful' | 'watched';
  /** Where it is installed, or when it was heard of last. */
  readonly where: string;
}

/** The last seven days, by the reader's clock. */
export interface Week {
  /** Oldest first, today last; days without runs are in it. */
  readonly days: readonly WeekDay[];
  /** What stopped, asked, or broke and so stopped: most first. */
  readonly rules: readonly RuleWeek[];
  /** The newest of what was stopped or asked about, over all runs. */
  readonly newest: readonly StoppedCase[];
  /** What rules asked people about in this time, and what became of it. */
  readonly asked: readonly RuleCount[];
  readonly done: boolean;
}

export interface WeekDay {
  readonly day: string;
  readonly runs: number;
  readonly decisions: number;
  readonly block: number;
  readonly ask: number;
  readonly modify: number;
}

export interface RuleWeek {
  /** The rule of a pack, or the hook; the event if no hook decided. */
  readonly rule: string;
  readonly hook: string | null;
  readonly isPack: boolean;
  /** `failed`: the hook gave no decision, or the host sent what the event does not take; so the call was stopped. */
  readonly action: 'block' | 'ask' | 'failed';
  readonly count: number;
  /** By day, as `Week.days`. */
  readonly byDay: readonly number[];
  readonly newest: StoppedCase;
}

export interface StoppedCase extends Row {
  readonly rule: string;
  /** Of its run. */
  readonly title: string | null;
  readonly agent: string;
}

/** One run in a line; what its tape does not say is empty. */
export interface RunRow
  extends Omit<TapeSummary, 'file' | 'policy' | 'session' | 'host' | 'started' | 'failures' | 'failOpens'> {
  readonly id: string;
  readonly session: string;
  readonly host: string;
  readonly started: string;
  /** Its first prompt; null if the tape has none. */
  readonly title: string | null;
  /** The host, without what it was imported by. */
  readonly agent: string;
  readonly model: string | null;
  /** Who is behind it, if the host said so. */
  readonly person: string | null;
  /** The folder it worked in. */
  readonly folder: string | null;
  /** On which machine of a fleet; null: on this one. */
  readonly machine: string | null;
  /** Hooks that failed; null where only the run's own tape says it. */
  readonly failures: number | null;
  readonly failOpens: number | null;
  /** Tool calls that were tried. */
  readonly calls: number;
  /** Null where neither the tape nor the agent's own transcript counts them. */
  readonly tokens: { readonly sent: number; readonly received: number } | null;
  readonly costUsd: number | null;
  /** From its beginning to its last entry. */
  readonly ms: number | null;
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

/** One step of the conversation of a run, with every decision about it. */
export interface Step {
  readonly run: string;
  readonly seq: number;
  readonly at: number | null;
  readonly kind: 'prompt' | 'answer' | 'call' | 'agent' | 'event';
  /** How many agents it stands inside of; which one did it, if that is a sub-agent. */
  readonly depth: number;
  readonly who: string | null;
  readonly event: string;
  readonly tool: string | null;
  readonly text: string;
  /** Null while nothing is decided. */
  readonly action: string | null;
  readonly word: string | null;
  readonly rule: string | null;
  readonly hook: string | null;
  readonly isPack: boolean;
  readonly reason: string | null;
  /** What a call that was stopped would have done, in sentences. */
  readonly does: readonly string[];
  readonly rewritten: boolean;
  readonly failed: boolean;
  /** Of a call, as the tape has it. */
  readonly verdict: string | null;
  /** Null while it is under way, and where its end is not on the tape. */
  readonly tookMs: number | null;
  readonly hookMs: number | null;
  readonly tokens: { readonly sent: number; readonly received: number } | null;
  /** Of the list. */
  readonly lines: number;
  /** The time of its turn. */
  readonly turn: { readonly from: number; readonly until: number } | null;
  readonly parts: readonly StepPart[];
}

export interface StepPart {
  readonly seq: number;
  readonly event: string;
  readonly action: string | null;
}

/** A line of the list of steps: a step with its first, a number with those that belong to it. */
export type StepLine = (Step & { readonly line: 0 }) | { readonly seq: number; readonly line: number };

export interface Steps extends Omit<Rows, 'rows'> {
  readonly rows: readonly StepLine[];
}

/** From one prompt to the next. */
export interface TurnView {
  readonly seq: number;
  readonly title: string | null;
  /** Of the list of steps. */
  readonly line: number;
  readonly from: number;
  readonly until: number;
  readonly calls: number;
  readonly stops: number;
}

export interface RunDetail {
  readonly run: RunRow;
  readonly file: string;
  readonly policy: string;
  readonly turns: readonly TurnView[];
  /** Lines of steps in which something was stopped or asked about, the first of them. */
  readonly stopLines: readonly number[];
}

/** What waits for the policy of today. */
export interface StoppedView {
  /** What was stopped, asked about or sent back, with who did it. */
  readonly stopped: readonly Stopped[];
  readonly samePolicy: boolean | null;
}

export interface Stopped extends Row {
  readonly word: string;
  readonly rule: string | null;
  readonly does: readonly string[];
  readonly place: Place | null;
}

/** The line of the file that decided. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  /** The text of that line as it is now; null if the file is another one than it was then. */
  readonly text: string | null;
  /** The lines around it; null where `text` is. */
  readonly code: { readonly first: number; readonly lines: readonly string[] } | null;
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
  /** What the call does, in sentences. */
  readonly does: readonly string[];
  /** The rule of a pack that decided. */
  readonly rule: string | null;
  /** What else was decided about the same call, request or sub-agent. */
  readonly parts: readonly StepPart[];
  /** Of its step, in the list of steps. */
  readonly line: number | null;
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

/** Where the values of a call come from, as far as its tape says. */
export type Origin = 'user' | 'trusted' | 'untrusted' | 'unknown';

export interface OriginsView {
  readonly args: readonly {
    readonly path: string;
    readonly value: string;
    readonly origin: Origin;
    readonly source: string | null;
    readonly entries: readonly number[];
    readonly labels: readonly string[];
    readonly ways: readonly Way[];
  }[];
  /** Why there is nothing to say. */
  readonly note: string | null;
}

/** How a part of an argument came to the call: the entry that said it first, then each file and agent it went through. */
export interface Way {
  readonly pieces: readonly string[];
  readonly origin: Origin;
  readonly steps: readonly WayStep[];
}

export interface WayStep {
  readonly seq: number;
  readonly at: number | null;
  /** `a web page`, `written to notes.md`. */
  readonly words: string;
  /** The call or the prompt of that entry. */
  readonly text: string;
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
  /** How often each rule asked a person, and what became of it. */
  readonly asking: readonly RuleCount[];
  readonly off: readonly Warning[];
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
    /** In sentences, the most serious first. */
    readonly does: readonly string[];
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
  /** The folder whose questions these are; null: those of every project. */
  readonly folder: string | null;
  /** Questions of other projects that wait. */
  readonly others: number;
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
  /** Where the call would run; null: the host does not say. */
  readonly cwd: string | null;
  readonly tool: string;
  /** The whole call, with hidden characters written out. */
  readonly call: readonly string[];
  readonly warnings: readonly string[];
  /** What the call would do, in sentences; empty if nothing is known of it. */
  readonly does: readonly string[];
  readonly reason: string;
  readonly asks: readonly { readonly rule: string; readonly place: string; readonly reason: string }[];
  readonly asked: number;
  readonly waitedMs: number;
  readonly leftMs: number;
  /** The agent puts it to its own user: it does not wait for an answer here. */
  readonly elsewhere: boolean;
  readonly answer: {
    readonly approved: boolean;
    readonly by: string;
    readonly at: number;
    readonly scope: string;
    readonly reason: string | null;
  } | null;
}

/** An exception, as the change of the file that it is. */
export interface ExceptionView {
  readonly source: string;
  readonly diff: string;
  /** Of the file as it was read; null if there is none yet. */
  readonly digest: string | null;
}

/** Machines of a fleet, as its hub knows them. */
export interface FleetMachines {
  readonly machines: readonly FleetMachine[];
  /** By the hub's clock. */
  readonly now: number;
}

/** What a machine did not report is null. */
export interface FleetMachine {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
  readonly seen: number;
  readonly build: string | null;
  /** Of its policy, and since when it is in force there. */
  readonly version: number | null;
  readonly since: number | null;
  readonly tapes: number;
  readonly entries: number;
  /** Entries that are not at the hub yet. */
  readonly backlog: number | null;
  /** Sessions of agents that no policy judged. */
  readonly unjudged: number | null;
  /** The machine's clock is ahead of the hub's by this. */
  readonly clockMs: number | null;
  /** What a person should look at. */
  readonly doubts: readonly string[];
}

/** What the tests of a policy show of it. */
export interface TestsView {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly lines: { readonly hit: number; readonly all: number };
  readonly decisions: { readonly hit: number; readonly all: number };
  readonly untested: readonly { readonly hook: string; readonly place: string; readonly what: string }[];
}
