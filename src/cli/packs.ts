/**
 * `harness packs`: the rules that ship and those a folder uses, with how they are in force there and what they are about.
 */
import { type Pack, type Rule, unknownName } from '../packs/index.ts';
import type { Policy } from '../policy/index.ts';
import { knownPacks, modeOf } from '../project/index.ts';
import { alignColumns, countOf, type Output, openPolicyAt, type Run, UsageError } from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const [what = 'ls', name] = args.positionals;
  const policy = await openPolicyAt(args.value('dir') ?? '.');
  const packs = knownPacks(policy);
  if (what === 'ls') return list(packs, policy, args.has('json'), output);
  if (what !== 'show') throw new UsageError(`packs: want ls or show, got ${JSON.stringify(what)}`);
  if (name === undefined) throw new UsageError('packs show: want the name of a pack or a rule');
  const pack = packs.find((each) => each.name === name);
  const rules = pack?.rules ?? packs.flatMap((each) => each.rules).filter((rule) => rule.name === name);
  if (rules.length === 0) throw new UsageError(unknownName(name, packs));
  if (args.has('json')) output.line(JSON.stringify(rules.map((rule) => ruleData(rule, policy))));
  else for (const rule of rules) printRule(rule, policy, output);
  return 0;
};

function list(packs: readonly Pack[], policy: Policy, json: boolean, output: Output): number {
  if (json) {
    const data = packs.map((pack) => ({
      name: pack.name,
      version: pack.version,
      description: pack.description,
      digest: pack.digest,
      rules: pack.rules.map((rule) => ({ name: rule.name, mode: modeOf(rule, policy) })),
    }));
    output.line(JSON.stringify(data));
    return 0;
  }
  const rows = packs.map((pack) => {
    const modes = new Set(pack.rules.map((rule) => modeOf(rule, policy)));
    const mode = modes.size === 1 ? [...modes][0]! : 'by rule';
    return [
      { text: pack.name, style: 'cyan' as const },
      { text: mode, style: mode === 'off' ? ('dim' as const) : ('green' as const) },
      { text: countOf(pack.rules.length, 'rule'), right: true },
      { text: pack.description },
    ];
  });
  for (const line of alignColumns(rows, output.paint)) output.line(line);
  return 0;
}

export function ruleData(rule: Rule, policy: Policy) {
  const { severity, action, reason, instead, match, examples } = rule.written;
  return { name: rule.name, mode: modeOf(rule, policy), severity, action, reason, instead, match, examples };
}

function printRule(rule: Rule, policy: Policy, output: Output): void {
  const { severity, action, reason, instead, examples } = rule.written;
  output.line(
    `${output.paint('bold', rule.name)}  ${output.paint('dim', `${severity}, ${action}; here ${modeOf(rule, policy)}`)}`,
  );
  output.line(`  ${reason}`);
  if (instead !== undefined) output.line(`  instead: ${instead}`);
  for (const text of examples.stops) output.line(`  ${output.paint('red', 'stops ')}  ${text}`);
  for (const text of examples.passes) output.line(`  ${output.paint('green', 'passes')}  ${text}`);
  output.line();
}
