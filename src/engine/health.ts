/**
 * Counters of what went wrong with the hooks themselves. A guard that is not there must show somewhere, whatever its
 * failure policy made of it; these are what `doctor` and the daemon look at.
 */
import type { RunState } from './run-state.ts';

export const HEALTH = {
  'hook.failures': 'Hooks that gave no decision.',
  'hook.fail_open': 'Failures after which the operation went on.',
  'hook.condition_failed': 'Conditions that raised, so that the hook did not run.',
  'hook.veto_ignored': 'Decisions the event gave no power to.',
} as const;

export function count(run: RunState, name: keyof typeof HEALTH): void {
  run.health.set(name, (run.health.get(name) ?? 0) + 1);
}
