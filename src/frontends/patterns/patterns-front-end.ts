/**
 * The patterns.yaml front end: each level is one hook on `tool.pre`. Its hooks block, ask or note, and never rewrite; every
 * match leaves a line in the audit file.
 */
import { clip, type Json, type JsonObject, quote } from '../../base/index.ts';
import { type Body, type FrontEnd, type HookCall, possibleFolders, type Reply } from '../../engine/index.ts';
import { redactedJson, secretsOf } from '../profile/redact.ts';
import type { Level } from './levels.ts';
import { homeOf, type Match, type Rule } from './rule.ts';
import { touchedPaths } from './touched.ts';

/** What the body of a level returns; nothing else of this front end is an answer. */
export class LevelReply {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

export const NOTHING = new LevelReply({ decision: { action: 'allow' } });

export const patternsFrontEnd: FrontEnd = {
  name: 'patterns',
  powers: { modify: false },
  view: (_event, payload) => payload,
  interpret: (returned) => {
    if (returned instanceof LevelReply) return returned.reply;
    const message = 'not the answer of a level';
    return { failure: { kind: 'invalid_return', code: 'HOOK_INVALID_RETURN', message } };
  },
  explain: (thrown) => {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { kind: 'error', code: 'HOOK_THREW', message };
  },
};

export interface LevelSettings {
  readonly level: Level;
  readonly rules: readonly Rule[];
  /** Absolute. */
  readonly project: string;
  /** Where audit lines go, relative to the project; null if they are off. */
  readonly audit: string | null;
}

export function levelBody({ level, rules, project, audit }: LevelSettings): Body {
  return (seen, call) => {
    const payload = seen as JsonObject;
    const home = homeOf(call.host);
    // What is certain is said before what may be.
    const matches = possibleFolders(payload, call.run.session, project).flatMap((cwd) => {
      const touched = touchedPaths(payload, cwd);
      return rules.map((rule) => rule(touched, { project, cwd, home }));
    });
    const match =
      matches.find((each) => each !== null && !each.unsure) ?? matches.find((each) => each !== null);
    if (match) {
      const reply = new LevelReply(answer(level, match, call));
      if (audit === null) return reply;
      const { pattern, reason, detail } = match;
      const action = actionOf(level, match, call);
      const line = { event: level.audit, tool: payload.name ?? null, detail, pattern, reason, action };
      return auditLine(line, call, project, audit).then(() => reply);
    }
    return NOTHING;
  };
}

function answer(level: Level, match: Match, call: HookCall): Reply {
  const reason = reasonOf(level, match);
  const action = actionOf(level, match, call);
  if (action !== 'allow') return { decision: { action, reason } };
  call.log('warn', reason);
  return { decision: { action: 'allow' } };
}

/** What may be meant is asked about; under strict it is not let pass. */
function actionOf({ action }: Level, { unsure }: Match, { hook }: HookCall): Level['action'] {
  return unsure === true && action === 'block' && hook.strict !== true ? 'ask' : action;
}

function reasonOf({ section, says }: Level, { detail, pattern, reason, unsure }: Match): string {
  if (unsure === true)
    return `what ${quote(detail, 200)} deletes is only known when it runs, and ${JSON.stringify(pattern)} ${says}`;
  const what = section === 'commands' ? 'the command' : quote(detail, 200);
  return `${what} ${says}: ${reason ?? `it matches ${JSON.stringify(pattern)}`}`;
}

export interface AuditLine {
  readonly event: string;
  readonly tool: Json;
  readonly detail: string;
  readonly pattern: string;
  readonly reason: string | null;
  readonly action: string;
}

/** A line that cannot be written changes no decision, and is itself told. */
export async function auditLine(line: AuditLine, call: HookCall, root: string, path: string): Promise<void> {
  const whole: Json = {
    ts: new Date(call.host.now()).toISOString(),
    session_id: call.run.session.id,
    ...line,
    detail: clip(line.detail, 1000),
  };
  try {
    await call.host.appendFile({ root, path, text: `${redactedJson(whole, secretsOf(call))}\n` });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    call.log('error', `cannot append to ${path}: ${why}`);
  }
}
