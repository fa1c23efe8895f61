/** What the guards of the policy have in common: the call they judge, and what they say of a path. */
import { type JsonObject, quote } from '../base/index.ts';

export interface JudgedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly cwd: string;
  /** What `~` stands for; null if nobody knows. */
  readonly home: string | null;
  /** Where programs are found; the folders of the system if it is not said. */
  readonly path?: string | undefined;
}

/** The caller knows the place; how to change it all the same is not for the model. */
export function notForAgent(place: string): string {
  return `${quote(place, 200)} belongs to the policy and its records, and is not the agent's to change`;
}

export function atHome(path: string, home: string | null): string {
  return home !== null && /^~(?=\/|$)/.test(path) ? home + path.slice(1) : path;
}
