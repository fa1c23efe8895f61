/**
 * Reads the corpus of shell commands: one JSON object a line, one file a family, and which half each case belongs to.
 *
 * The halves never move: they hang on a hash of the id alone (of the pair's number for twins, so that a pair is scored in
 * one piece). Rules are written looking at `seen` only; `held` is only ever counted. Nothing here runs a command.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const COMMANDS = fileURLToPath(new URL('.', import.meta.url));

/** The four measures; each is a folder. */
export const SETS = ['dangerous', 'everyday', 'text', 'around'] as const;
export type CommandSet = (typeof SETS)[number];

export type Half = 'seen' | 'held';
export type Shell = 'bash' | 'sh' | 'zsh';

export interface CommandCase {
  /** `dangerous/git/042`: folder, file and a number that stays when others go. */
  readonly id: string;
  readonly command: string;
  /** What runs it; bash if absent. */
  readonly shell?: Shell;
  /** The file's name. */
  readonly family: string;
  /** `stop` is blocked or asked about; `pass` is neither. */
  readonly expect: 'stop' | 'pass';
  /** Twins share it: the same words once as text (`pass`) and once executed (`stop`). */
  readonly pair?: number;
  readonly note?: string;
}

export interface LoadedCase {
  readonly set: CommandSet;
  readonly half: Half;
  readonly case: CommandCase;
}

export interface CorpusLine {
  readonly set: CommandSet;
  readonly family: string;
  /** `text/printed.jsonl:12` */
  readonly where: string;
  readonly text: string;
}

/** Every line of every file, unread, in a fixed order. */
export function* corpusLines(): Generator<CorpusLine> {
  for (const set of SETS) {
    const names = readdirSync(join(COMMANDS, set)).filter((name) => name.endsWith('.jsonl'));
    for (const name of names.sort()) {
      const lines = readFileSync(join(COMMANDS, set, name), 'utf8')
        .replace(/\n$/, '')
        .split('\n');
      const family = name.slice(0, -'.jsonl'.length);
      for (const [index, text] of lines.entries()) {
        yield { set, family, where: `${set}/${name}:${index + 1}`, text };
      }
    }
  }
}

export function* loadCases(half?: Half): Generator<LoadedCase> {
  for (const line of corpusLines()) {
    const one = JSON.parse(line.text) as CommandCase;
    const own = halfOf(one);
    if (half === undefined || half === own) yield { set: line.set, half: own, case: one };
  }
}

export function halfOf(one: Pick<CommandCase, 'id' | 'pair'>): Half {
  const key = one.pair === undefined ? one.id : `pair/${one.pair}`;
  return createHash('sha256').update(key).digest()[0]! % 2 === 0 ? 'seen' : 'held';
}
