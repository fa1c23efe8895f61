/** The rules that a policy folder knows, and which of them match a command. */
import {
  actionOf,
  isExcepted,
  lookingRules,
  type Pack,
  type Rule,
  shippedPacks,
  shippedShared,
  ToolCall,
  type UseMode,
} from '../packs/index.ts';
import type { Policy } from '../policy/index.ts';
import { type CommandReading, readCommand } from '../shell/index.ts';
import { placeText } from './judge.ts';

export interface MatchedRule {
  readonly rule: string;
  readonly mode: string;
  readonly action: string;
  readonly command: string;
  readonly reason: string;
  readonly instead: string | undefined;
  /** The line of the rule. */
  readonly place: string;
  /** Why it does not count here. */
  readonly exception: string | null;
}

/** What ships, and what this folder has from elsewhere. */
export function knownPacks({ packs: { packs } }: Policy): readonly Pack[] {
  return [...new Set([...shippedPacks(), ...packs.map(({ pack }) => pack)])];
}

/** The strictest mode of any layer. */
export function modeOf(rule: Rule, { packs: { packs } }: Policy): UseMode {
  const order: readonly UseMode[] = ['off', 'audit', 'ask', 'enforce'];
  const modes = packs.flatMap(({ modes: own }) => own.get(rule) ?? []);
  return order[Math.max(0, ...modes.map((mode) => order.indexOf(mode)))]!;
}

/** How a command is read, which rules check it and which match. */
export async function studyCommand(
  text: string,
  shell: string | undefined,
  policy: Policy,
): Promise<{
  readonly reading: CommandReading;
  readonly checked: ReadonlySet<string>;
  readonly matched: readonly MatchedRule[];
}> {
  const call = new ToolCall(
    'run_command',
    { command: text, ...(shell !== undefined && { shell }) },
    policy.dir.startsWith('/') ? policy.dir : null,
    shippedShared(),
  );
  const packs = knownPacks(policy);
  const checked = new Set(packs.flatMap((pack) => lookingRules(pack, call.subjects)).map(({ name }) => name));
  const matched: MatchedRule[] = [];
  for (const pack of packs) {
    for (const match of call.matches(pack)) {
      const mode = modeOf(match.rule, policy);
      const excepted = isExcepted(policy.packs.exceptions, match, call.cwd, Date.now());
      matched.push({
        rule: match.rule.name,
        mode,
        action: mode === 'off' ? 'none' : mode === 'audit' ? 'recorded' : actionOf(match.rule, mode),
        command: match.command.text,
        reason: match.rule.written.reason,
        instead: match.rule.written.instead,
        place: match.rule.site === undefined ? match.rule.name : placeText(match.rule.site),
        exception: excepted?.reason ?? null,
      });
    }
  }
  return { reading: readCommand(text, { ...(shell !== undefined && { shell }) }), checked, matched };
}
