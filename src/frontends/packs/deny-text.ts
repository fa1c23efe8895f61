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

/**
 * The same denial once more, for a host that shows it again: said plainly, so that an agent does not try the same for ever.
 * `times` is how often it has been shown before.
 */
export function repeatedDenial(reason: string, times: number): string {
  if (times <= 0) return reason;
  const often = times === 1 ? 'once' : `${times} times`;
  return `${reason} This was refused ${often} before; the same call, or another spelling of it, will be refused again. Take the other way, or tell the person what you need and why.`;
}
