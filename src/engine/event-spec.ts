/**
 * What a row of the catalog says of an event, and the few answers that most rows share.
 */
import { type Field, integer, list, optional, text } from '../base/index.ts';

/** What hooks may do to an event. */
export type Authority =
  /** May stop it. */
  | 'gate'
  /** It has happened; its result may be rewritten. */
  | 'transform'
  /** May only watch. */
  | 'advisory';

/** Which decisions the host can act on; anything else a hook says here is recorded as `vetoIgnored`. */
export interface Honours {
  /** `error`: a veto is forbidden here and fails the operation loudly. */
  readonly block: boolean | 'error';
  /** `overlay` lays a dict over the payload, `text` replaces the string, `any` does whichever fits what was emitted. */
  readonly modify: 'none' | 'overlay' | 'text' | 'any';
  readonly ask: boolean;
  readonly delegate: boolean;
  readonly permit: boolean;
}

export interface EventSpec {
  /** Other spellings; the PascalCase and snake_case of every one of them are accepted too. */
  readonly aliases: readonly string[];
  /** When it fires, as a sentence. */
  readonly fires: string;
  readonly authority: Authority;
  readonly honours: Honours;
  /** What a block does here, as a sentence. */
  readonly onBlock: string;
  readonly payload: Field;
  /** Keys a rewrite cannot change, because they tie the payload to an operation under way. */
  readonly identity: readonly string[];
  /** The key whose value most conditions ask for: chains are indexed by it. */
  readonly index: string | null;
  /** A decoded value and its text that always agree; see payload.ts. */
  readonly pair?: { readonly data: string; readonly text: string };
  /** A key that holds a sandbox: a rewrite can only tighten it, and one that would loosen it is a block. */
  readonly tightens?: 'sandbox';
  /** Nothing is sent to the model after it, or it takes no notes: what hooks leave for the model does not reach it. */
  readonly unheard?: true;
  /** A block sends an agent that would end back to work. */
  readonly sendsBack?: true;
  /** The key whose value must have reached the number an event name may carry in parentheses; `isReached` says when. */
  readonly parameter?: string;
}

export const WATCH: Honours = { block: false, modify: 'none', ask: false, delegate: false, permit: false };
export const GATE: Honours = { block: true, modify: 'none', ask: true, delegate: false, permit: false };
export const REWRITING_GATE: Honours = { ...GATE, modify: 'overlay' };
/** Something happened and can only be hidden or rewritten: there is nothing left to ask about. */
export const RESULT: Honours = { ...GATE, modify: 'overlay', ask: false };

export const IGNORED = 'Ignored and recorded as `vetoIgnored`.';

/** What every payload of a session says of where it comes from. */
export const sessionFields = {
  session_id: optional(text('Session id.')),
  turn: optional(integer('Turn number, from 0.')),
};

/** Where a call happens. The engine fills these in (hooks/call-place.ts), so they are there on every host that knows the folder. */
export const placeFields = {
  cwd: optional(
    text(
      'The folder the call runs in, absolute: that of its arguments (`cwd`, `workdir`, …), else that of the session.',
    ),
  ),
  workspace: optional(
    text(
      'The project folder of the agent: as the agent says, else the top of the git checkout the session began in, else the folder it began in.',
    ),
  ),
  workspaces: optional(list('Further folders the agent works in, where it says so.', text('One folder.'))),
};

/** No hook rewrites these. */
export const PLACE_KEYS = ['cwd', 'workspace', 'workspaces'] as const satisfies (keyof typeof placeFields)[];

/** What the host says of where a call comes from: no hook rewrites these either. */
export const CALL_KEYS = ['native', ...PLACE_KEYS] as const;
