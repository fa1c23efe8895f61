/**
 * What a command plainly has or has not, as bits: a rule that needs one of them is not even asked about a command without.
 */
import { isJsonObject, type Json } from '../../base/json.ts';
import type { Command } from '../../match/command/index.ts';

export type Features = number;

const KEYS: Readonly<Record<string, Features>> = {
  assigns: 1,
  code: 2,
  language: 2,
  elevated: 4,
  via: 8,
  unread: 16,
  dynamic_program: 32,
  background: 64,
  recursive: 128,
  runs_stdin: 256,
  fed_by: 512,
  reads: 1024,
  writes: 2048,
  deletes: 4096,
  deletes_besides: 4096,
  says: 8192,
};

/** It is no command but a tool that is offered: no rule looks at both. */
export const OFFERED: Features = KEYS.says!;

export function featuresOf(command: Command): Features {
  return (
    (command.assigns.length > 0 ? KEYS.assigns! : 0) |
    (command.code === null ? 0 : KEYS.code!) |
    (command.elevated ? KEYS.elevated! : 0) |
    (command.via.length > 0 ? KEYS.via! : 0) |
    (command.words.length === 0 && command.path === '' ? KEYS.unread! : 0) |
    (command.words[0]?.known === false ? KEYS.dynamic_program! : 0) |
    (command.background ? KEYS.background! : 0) |
    (command.recursive ? KEYS.recursive! : 0) |
    (command.runsStdin ? KEYS.runs_stdin! : 0) |
    (command.sources.length > 0 ? KEYS.fed_by! : 0) |
    (command.reads.length > 0 ? KEYS.reads! : 0) |
    (command.writes.length > 0 ? KEYS.writes! : 0) |
    (command.deletes.length > 0 ? KEYS.deletes! : 0)
  );
}

/** What must be there for a condition to hold; of several branches, what all of them need. */
export function neededBy(written: Json): Features {
  if (!isJsonObject(written)) return 0;
  let needs = 0;
  for (const [key, value] of Object.entries(written)) {
    if (key === 'all' && Array.isArray(value)) for (const each of value) needs |= neededBy(each);
    else if (key === 'any' && Array.isArray(value) && value.length > 0) {
      needs |= value.map(neededBy).reduce((a, b) => a & b);
    } else if (value !== false) needs |= Object.hasOwn(KEYS, key) ? KEYS[key]! : 0;
  }
  return needs;
}
