/**
 * The script of the model server: the items of a scripted model (providers/scripted.ts), and what only a server can do with
 * them: choose an item by what was asked, break a stream, never answer.
 */
import type { Script, ScriptedCompletion } from '../providers/scripted.ts';
import type { Condition } from './condition.ts';

/** One item, as in its YAML. */
export interface ServerCompletion extends ScriptedCompletion {
  /** Text in a user message or tool result since the model's last answer; short for `when: {latest: …}`. */
  readonly match?: string;
  readonly when?: Condition;
  /** Instead of an answer: these texts are the body, each one written on its own. */
  readonly raw?: readonly string[];
  /** Nothing is sent, or nothing after the texts of `raw`, and the connection stays open. */
  readonly hang?: boolean;
  /** The connection is broken after this many events of the stream or texts of `raw`. */
  readonly cut_after?: number;
}

/** Requests that agents make beside the conversation; they take no item. */
export interface SideRule {
  readonly name: string;
  readonly when: Condition;
  /** The answer; `ok` by default, or a value of the JSON Schema that the request asks for. */
  readonly text?: string;
}

export interface ServerScript extends Omit<Script, 'completions'> {
  readonly completions: readonly ServerCompletion[];
  /** Names of built-in rules and rules of one's own; an empty list turns them off. */
  readonly side?: readonly (string | SideRule)[];
}
