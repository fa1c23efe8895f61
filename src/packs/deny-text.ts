/**
 * What an agent is told when a rule stops it: what was seen, which rule it was, and a safer way.
 */
import { quote } from '../base/index.ts';
import { type Effect, effectsOf, sentencesFor } from '../shell/index.ts';
import type { Rule, RuleMatch } from './pack.ts';

const MOST_SHOWN = 160;

/** The rule says what it is about; that a file is read adds nothing. */
function isWorthSaying({ kind }: Effect): boolean {
  return kind !== 'read' && kind !== 'receive';
}

export function denyText({ rule, command, finding }: RuleMatch, action: 'block' | 'ask'): string {
  const { reason, instead } = rule.written;
  const by = `${action === 'block' ? 'is stopped' : 'needs a yes'} by the rule ${rule.name}${placeOf(rule, action)}`;
  const seen = quote(command.text.replace(/\s+/g, ' ').trim(), MOST_SHOWN);
  const way = instead === undefined ? '' : ` Instead: ${instead}`;
  if (finding !== undefined) return `${seen} ${by}: ${finding.says}.${way}`;
  const does = sentencesFor(effectsOf(command).filter(isWorthSaying)).join(' ');
  const what = does === '' ? '' : ` What it does: ${does}`;
  return `${seen} ${by}: ${reason}.${what}${way}`;
}

/** A person who is asked can look the rule up; an agent has no use for that. */
function placeOf({ site }: Rule, action: 'block' | 'ask'): string {
  return action === 'block' || site === undefined ? '' : ` (${site.file}:${site.line})`;
}
