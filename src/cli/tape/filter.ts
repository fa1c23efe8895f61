/** Which decisions are wanted, from `--event`, `--hook`, `--tool`, `--decision` and `--failures`. */
import { compileGlob } from '../../match/glob.ts';
import type { StoryFilter } from '../../tape/stories.ts';
import { type Arguments, UsageError } from '../command.ts';
import { canonicalEvent } from '../hooks.ts';
import { quote } from '../options.ts';

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
