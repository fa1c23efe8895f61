/**
 * What an adapter is: a table of an outside agent's events and tools, and two pure functions. `read` turns the agent's
 * payload into events of the catalog, `answer` turns what the policy said into what that agent honours. Everything
 * else is shared: the launcher, the deadline, the tape, the degradation of answers that an agent cannot carry.
 */
import type { JsonObject } from '../base/index.ts';

/** What an agent does with each kind of answer at one of its events. False: it ignores it, and the answer is degraded. */
export interface Honours {
  /** `tool.pre`: the call does not run. `tool.post`: the model does not read the result. A prompt: it is not sent. */
  readonly block: boolean;
  /** A person is asked, also if the agent runs without one: then it must not run the call. */
  readonly ask: boolean;
  /** The call, the result or the prompt is replaced. */
  readonly modify: boolean;
  /** Text is added to what the model reads. */
  readonly context: boolean;
  /** Text is shown to the person at the agent. */
  readonly message: boolean;
}

/** One event of an agent, and the event of the catalog that it is. */
export interface EventRow {
  /** As the agent spells it, in its configuration and in its payloads. */
  readonly native: string;
  /** Canonical name, or `native.*` for what the catalog has no name for. */
  readonly event: string;
  readonly honours: Honours;
  /** A later event of the agent at which a block that is lost here is made good: the run ends before the model reads on. */
  readonly madeGoodAt?: string;
  /** A later event of the agent: context that is added here, where the agent takes none, is given to the model there. */
  readonly contextAt?: string;
  /**
   * What an exit code of 2 does where it does not block as an answer does: nothing, or the model is only told what is on
   * stderr. The registered line ends with it if its answer cannot be printed.
   */
  readonly exitTwo?: 'ignored' | 'told';
  /** Why something is not honoured or how it was seen, for the page on agents. */
  readonly note?: string;
  /** Why `install` never registers it, as a sentence. */
  readonly leftOut?: string;
  /** Why `install` registers it only if a hook of the policy is on it, as a sentence. */
  readonly onDemand?: string;
}

/**
 * One tool of an agent under the name that policies use, see `canonical-tools.ts`. `args` maps the agent's argument names
 * to canonical ones; arguments that it does not name keep their own.
 */
export interface ToolRow {
  readonly native: string;
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  /** The shell that reads its command, if it is not one of POSIX: policies find it as `args.shell`. */
  readonly shell?: 'powershell' | 'cmd';
}

/** A native payload that was understood. */
export interface NativeCall {
  readonly row: EventRow;
  /**
   * Payloads of `row.event`, one or more: a call that runs a list of commands, or a patch of several files, is one
   * canonical call each. The strictest answer counts for all. None only for an event that turned out to be nothing: there is
   * nothing to judge.
   */
  readonly payloads: readonly (JsonObject | string)[];
  /**
   * Other events that the same moment is: a tool call that starts a sub-agent is `delegation.pre` too. What they block or ask
   * counts for the call; a rewrite there cannot be carried out, and blocks.
   */
  readonly also?: readonly { readonly event: string; readonly payload: JsonObject }[];
  /** The agent's id of the tool call; null if it names none, and the launcher pairs calls by their content. */
  readonly callId: string | null;
  /** The agent's own session id. */
  readonly session: string;
  readonly cwd: string | null;
  /** The folders the agent works in, its project first, if it says so. */
  readonly roots?: readonly string[];
  /** The sub-agent that this event comes from, if the agent says it. */
  readonly subAgent?: { readonly id: string; readonly name: string } | null;
  /** The agent's own transcript, if it names one. */
  readonly transcript: string | null;
  readonly native: JsonObject;
}

/** A native payload that was not: what was wanted and got, in words. `row` if at least the event is known. */
export interface Unreadable {
  readonly problem: string;
  readonly row: EventRow | null;
}

/** What the policy said, already degraded to what the row honours. */
export type Verdict =
  | { readonly action: 'allow'; readonly context: string | null; readonly message: string | null }
  | { readonly action: 'block'; readonly reason: string; readonly message: string | null }
  | {
      readonly action: 'ask';
      readonly reason: string;
      readonly message: string | null;
      /** If hooks rewrote it before one asked: what the question is about, and what has to run after a yes. */
      readonly payloads?: readonly (JsonObject | string)[];
      /** It waits for an answer from elsewhere, and may be tried again. */
      readonly open?: boolean;
    }
  | {
      readonly action: 'modify';
      /** In the order of `NativeCall.payloads`. */
      readonly payloads: readonly (JsonObject | string)[];
      readonly context: string | null;
      readonly message: string | null;
    };

/** What the hook process prints and how it ends. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface Adapter {
  /** As on the command line: `claude-code`. */
  readonly agent: string;
  /** As people write it: `Claude Code`. */
  readonly title: string;
  /** Versions the table was seen to hold for. */
  readonly versions: readonly string[];
  /** How the agent calls: a command line per event, an executable file per event, or code inside its own process. */
  readonly channel: 'command' | 'file' | 'plugin';
  /** The variable in which the agent tells its hooks the project folder; it sets that itself, whatever it was before. */
  readonly projectVariable?: string;
  /** Why it can only be watched: the agent runs a call whatever a hook says. */
  readonly observeOnly?: string;
  /** Those that can be registered. */
  readonly events: readonly EventRow[];
  /** Every event that the newest version tried fires: `events`, and those that `install` leaves out. */
  readonly allEvents: readonly EventRow[];
  readonly tools: readonly ToolRow[];
  /** What this agent cannot do at all, in sentences, for the page on agents and for `install`. */
  readonly cannot: readonly string[];
  /** `event` is the name the launcher was registered for, for agents whose payloads do not say it. */
  read(native: JsonObject, event: string | null): NativeCall | Unreadable;
  /** Folders that were added to the project and that no payload names: the agent's own files do. */
  furtherFolders?(call: NativeCall, env: (name: string) => string | undefined): readonly string[];
  /** `call` is null if the payload could not be read: then the verdict is a block or an allow. */
  answer(row: EventRow, call: NativeCall | null, verdict: Verdict): Answer;
}
