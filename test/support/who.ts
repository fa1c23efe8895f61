/**
 * Policies and sessions for tests about who is behind a call: files in a temporary folder, and nothing of this machine.
 */
import { openPolicy, type PolicyOptions } from '../../src/policy/open-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { tempProject } from './temp-project.ts';

export const NOWHERE = { managed: null, user: null };

export async function policyOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: PolicyOptions = {},
): Promise<Policy> {
  return openPolicy(tempProject(files), { places: NOWHERE, ...options });
}

/** A hook of `tool.pre` that says this. */
export const saying = (expression: string) => `def handle(event, payload):\n    return ${expression}`;

export const toolCall = (name = 'x', more: Record<string, unknown> = {}) =>
  ({ id: '1', name, args: {}, ...more }) as never;
