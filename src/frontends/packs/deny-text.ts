/**
 * What an agent is told when a rule stops it: what was seen, which rule it was, and a safer way.
 */
import { quote } from '../../base/text.ts';
import type { RuleMatch } from './pack.ts';

const MOST_SHOWN = 160;

export function denyText({ rule, command }: RuleMatch, action: 'block' | 'ask'): string {
  const { reason, instead } = rule.written;
  const verb = action === 'block' ? 'is stopped' : 'needs a yes';
  const seen = quote(command.text.replace(/\s+/g, ' ').trim(), MOST_SHOWN);
  const way = instead === undefined ? '' : ` Instead: ${instead}`;
  return `${seen} ${verb} by the rule ${rule.name}: ${reason}.${way}`;
}
