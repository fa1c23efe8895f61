/**
 * How each agent is run without a person against a model on loopback, and which of its files come along: what `install` wrote,
 * what the agent was told to trust, what switches hooks off. Nothing else of the user: no keys, no other hooks, no servers.
 */
import type { JsonObject } from '../../base/index.ts';
import type { InstallTarget, ReadText } from '../install/installer.ts';

export interface LiveFile {
  readonly path: string;
  readonly text: string;
  /** It registers our hooks: a run that is to show what the agent does without them leaves it out. */
  readonly registers?: boolean;
}

export interface LivePlace {
  readonly place: InstallTarget;
  /** Where the agent is started. */
  readonly cwd: string;
  /** Of the scripted model. */
  readonly url: string;
  readonly textOf: ReadText;
}

export interface LiveRecipe {
  /** The call that the model makes: one command in the agent's shell. */
  call(command: string): { readonly name: string; readonly args: JsonObject };
  /** After the program. */
  argv(prompt: string, live: LivePlace): readonly string[];
  env(url: string): Readonly<Record<string, string>>;
  files(live: LivePlace): readonly LiveFile[];
  /** Folders of the user that it cannot do without, seen but not copied. */
  keeps?(place: InstallTarget): readonly string[];
  /** A refused call ends its run: the model is never told. */
  readonly refusalEndsRun?: true;
}

/** The files of a list, as far as there is something in them. */
export const presentFiles = (files: readonly (LiveFile | null)[]) => files.filter((file) => file !== null);
