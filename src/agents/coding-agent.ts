/**
 * The record of a coding agent: everything that belongs to one agent, made in its folder. Shared code goes through the records and
 * names no agent.
 */
import type { JsonObject } from '../base/index.ts';
import type { Adapter, EventRow } from './adapter.ts';
import type { Transcripts } from './import/transcripts-in.ts';
import type { Installer } from './install/installer.ts';
import type { LiveRecipe } from './live/recipe.ts';
import type { OrdinaryTools } from './ordinary-calls.ts';
import type { Switch } from './switches.ts';

export interface CodingAgent {
  readonly adapter: Adapter;
  readonly installer: Installer;
  /** Its programs, by name; the first is the one looked for. */
  readonly programs: readonly [string, ...string[]];
  /** The packages its program may belong to: they tell its version. */
  readonly packages: readonly string[];
  /** What people also call it. */
  readonly otherNames: readonly string[];
  readonly sandbox: AgentSandbox;
  /** Ordinary work in the words of the agent. */
  readonly ordinary: OrdinaryTools;
  /** Its own record of its sessions, if it can be read. */
  readonly transcripts?: Transcripts;
  /** What of its own keeps hooks from running; empty if nothing is known. */
  readonly switches: readonly Switch[];
  /** How it is run without a person; without it `doctor --live` cannot. */
  readonly live?: LiveRecipe;
  /** Fields of a canary's payload that only this agent spells so. */
  canary?(row: EventRow): JsonObject;
}

/** What an agent needs in a sandbox of its own. */
export interface AgentSandbox {
  /** Written to: settings, sessions, caches. */
  readonly writes: readonly string[];
  /** Where it may be installed in a home folder. */
  readonly reads: readonly string[];
  /** Of its model. */
  readonly hosts: readonly string[];
  /** Variables it is given beyond the usual ones, such as those that hold its keys. */
  readonly variables: readonly string[];
  /** Set for it. */
  readonly env?: Readonly<Record<string, string>>;
  /** What its user has to know or do. */
  readonly note: string;
}
