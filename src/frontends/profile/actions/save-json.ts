/**
 * `save_json`: appends the event to a file below the profile's folder, one line of JSON each.
 */
import { extname } from 'node:path';
import { HarnessError } from '../../../base/index.ts';
import { pathProblem } from '../../../machine/index.ts';
import type { HookContext } from '../../code/registry/context.ts';
import { DONE } from '../profile-front-end.ts';
import { recordText } from '../record.ts';
import { SAVE_MS } from '../schema.ts';
import type { Action } from './action.ts';

export const saveJson: Action<'save_json'> = ({ fields, path: where, profile, folder }) => {
  const { path: written = '' } = fields.data;
  const path = written.replaceAll('\\', '/');
  const problem = pathProblem(written) ?? policyProblem(path);
  if (problem !== null) {
    fields.wrong('HOOK_CONFIG', `${where}.path: ${problem}`, fields.get('path')!.start);
    return null;
  }
  return {
    description: `Appends the event to ${path}.`,
    timeoutMs: SAVE_MS,
    condition: null,
    body: async (seen, call) => {
      const text = `${recordText(profile, seen as HookContext, call)}\n`;
      try {
        await call.host.appendFile({ root: folder, path, text });
      } catch (thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        throw new HarnessError('SAVE_FAILED', `cannot append to ${path}: ${why}`);
      }
      return DONE;
    },
  };
};

const READ_NAMES = new Set(['agent.json', 'settings.json', 'package.json']);
const READ_ENDINGS = new Set(['.md', '.toml', '.star', '.ts', '.js', '.mjs', '.cjs', '.sh']);

/** A record must not end up in a file that rules or programs are read from. */
function policyProblem(path: string): string | null {
  const parts = path.split('/').map((part) => part.toLowerCase());
  const name = parts.at(-1)!;
  if (!READ_NAMES.has(name) && !READ_ENDINGS.has(extname(name)) && !parts.includes('.git')) return null;
  return `wanted a file for records such as runs/log.jsonl, got ${JSON.stringify(path)}`;
}
