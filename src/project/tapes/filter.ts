/** Which decisions are wanted, from `--event`, `--hook`, `--tool`, `--decision` and `--failures`. */
import { compileGlob } from '../../base/index.ts';
import type { StoryFilter } from '../../tape/index.ts';
import { type Arguments, canonicalEvent, quote, UsageError } from '../../terminal/index.ts';

const DECISIONS = ['allow', 'block', 'modify', 'ask', 'delegate', 'permit'];

export function filterOf(args: Arguments): StoryFilter {
  const [event, hook, tool, decision] = ['event', 'hook', 'tool', 'decision'].map((name) => args.value(name));
  if (decision !== undefined && !DECISIONS.includes(decision)) {
    throw new UsageError(`--decision wants one of ${DECISIONS.join(', ')}, got ${quote(decision)}`);
  }
  return {
    event: event === undefined ? undefined : canonicalEvent(event),
    hook: hook === undefined ? undefined : compileGlob(hook),
    tool: tool === undefined ? undefined : compileGlob(tool),
    decision,
    failures: args.has('failures'),
  };
}
