/**
 * A preset at work, in one of three modes: `deny` blocks what its rules are about, `rewrite` puts the safer command in its
 * place and blocks where there is none, `audit` only writes down that it happened.
 */
import { compileRegex, type JsonObject } from '../../base/index.ts';
import { type Body, type FrontEnd, isCommandKey } from '../../engine/index.ts';
import { auditLine, LevelReply, NOTHING, patternsFrontEnd } from './patterns-front-end.ts';
import type { Preset, PresetRule } from './preset-rules.ts';
import { touchedPaths } from './touched.ts';

export const PRESET_MODES = ['rewrite', 'deny', 'audit'] as const;
export type PresetMode = (typeof PRESET_MODES)[number];

/** Observing comes first and shaping last, as in every chain. */
export const PRESET_PRIORITY: Readonly<Record<PresetMode, number>> = { audit: 5, deny: 10, rewrite: 40 };

export const presetsFrontEnd: FrontEnd = { ...patternsFrontEnd, powers: { modify: true } };

export interface PresetSettings {
  readonly name: string;
  readonly preset: Preset;
  readonly mode: PresetMode;
  readonly project: string;
  readonly audit: string | null;
}

export function presetBody({ name, preset, mode, project, audit }: PresetSettings): Body {
  const rules = preset.rules.map((rule) => ({ ...rule, test: testOf(rule) }));
  return async (seen, call) => {
    const payload = seen as JsonObject;
    let args = payload.args as JsonObject;
    for (const rule of rules) {
      const found = commandFor(rule, payload, args);
      if (found === undefined) continue;
      const safer = mode === 'rewrite' ? saferArgs(rule, payload, args) : null;
      const action = mode === 'audit' ? 'allow' : safer === null ? 'block' : 'modify';
      const line = {
        event: AUDIT_KINDS[action],
        action,
        tool: payload.name ?? null,
        detail: found,
        pattern: `${name}/${rule.name}`,
        reason: rule.reason,
      };
      if (audit !== null) await auditLine(line, call, project, audit);
      if (action === 'block') return new LevelReply({ decision: { action, reason: rule.reason } });
      call.log('warn', `${name}/${rule.name}: ${rule.reason}`);
      args = safer ?? args;
    }
    return args === payload.args
      ? NOTHING
      : new LevelReply({ decision: { action: 'modify', payload: { args } } });
  };
}

const AUDIT_KINDS = { allow: 'alert_logged', block: 'tool_blocked', modify: 'tool_rewritten' } as const;

interface Ready extends PresetRule {
  readonly test: (command: string) => boolean;
}

function testOf({ matches, unless }: PresetRule): (command: string) => boolean {
  const regex = compileRegex(matches);
  if (!regex.ok) throw new Error(regex.message);
  return (command) => regex.test(command) && (unless === undefined || !command.includes(unless));
}

function commandFor({ test }: Ready, { name }: JsonObject, args: JsonObject): string | undefined {
  return touchedPaths({ name: name ?? '', args }).commands.find(test);
}

/** Rewriting is not bounded by RE2: a longer line than anybody writes is blocked instead. */
const LONGEST = 10_000;

/** Null if there is no safer form, or where quotes or nesting keep it from being put in place. */
function saferArgs(rule: Ready, payload: JsonObject, args: JsonObject): JsonObject | null {
  const { rewrite } = rule;
  if (rewrite === undefined) return null;
  const entries = Object.entries(args).map(([key, value]) =>
    isCommandKey(key) && typeof value === 'string' && value.length <= LONGEST
      ? [key, rewrite(value)]
      : [key, value],
  );
  const safer = Object.fromEntries(entries) as JsonObject;
  return commandFor(rule, payload, safer) === undefined ? safer : null;
}
