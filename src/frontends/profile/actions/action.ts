/**
 * What an action makes of its entry in agent.json: the parts of a hook that differ from action to action.
 */

import type { Body, Condition } from '../../../engine/index.ts';
import type { Fields, FileReport, FolderSnapshot } from '../../../files/index.ts';
import type { Capability } from '../../capability.ts';
import type { Environment } from '../operator.ts';
import type { ACTIONS, ActionName } from '../schema.ts';

export interface ActionScope<A extends ActionName = ActionName> {
  readonly fields: Fields<(typeof ACTIONS)[A]['fields']>;
  /** `hooks.onToolCall[0]` */
  readonly path: string;
  /** Canonical. */
  readonly event: string;
  /** Name of the profile. */
  readonly profile: string;
  readonly snapshot: FolderSnapshot;
  /** The folder agent.json is in, absolute. */
  readonly folder: string;
  /** How long a person may take to answer. */
  readonly approvalMs: number;
  /** Where the entry stands: `agent.json:4`. */
  readonly place: string;
  readonly report: FileReport;
  /** As it is when the file is read: good for telling people, never for deciding. */
  readonly machine: Environment;
}

export interface ActionParts {
  readonly description: string;
  readonly timeoutMs: number;
  readonly condition: Condition | null;
  readonly body: Body;
  readonly capability?: Capability;
}

/** Null if the entry cannot mean anything; the fields then hold why. */
export type Action<A extends ActionName = ActionName> = (
  scope: ActionScope<A>,
) => ActionParts | null | Promise<ActionParts | null>;
