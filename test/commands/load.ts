/**
 * Reads the corpus of shell commands: one JSON object a line, one file a family, and which half each case belongs to.
 *
 * `NAME.held.jsonl` is held, every other file is seen. Rules are written looking at `seen` only; `held` is written by people
 * who have read no rules, and is only ever counted. Nothing here runs a command.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const COMMANDS = fileURLToPath(new URL('.', import.meta.url));

/** The four measures; each is a folder. */
export const SETS = ['dangerous', 'everyday', 'text', 'around'] as const;
export type CommandSet = (typeof SETS)[number];

export type Half = 'seen' | 'held';
export type Shell = 'bash' | 'sh' | 'zsh' | 'powershell' | 'cmd';

export interface CommandCase {
  /** `dangerous/git/042`, `dangerous/git.held/042`: folder, file and a number that stays when others go. */
  readonly id: string;
  readonly command: string;
  /** What runs it; bash if absent. */
  readonly shell?: Shell;
  /** The file's name. */
  readonly family: string;
  /** `stop` is blocked or asked about; `pass` is neither. */
  readonly expect: 'stop' | 'pass';
  /** Twins share it within their half: the same words once as text (`pass`) and once executed (`stop`). */
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
  readonly half: Half;
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
        yield { set, half: halfOf(family), family, where: `${set}/${name}:${index + 1}`, text };
      }
    }
  }
}

export function* loadCases(half?: Half): Generator<LoadedCase> {
  for (const { set, half: own, text } of corpusLines()) {
    if (half !== undefined && half !== own) continue;
    yield { set, half: own, case: JSON.parse(text) as CommandCase };
  }
}

/** By the file's name without `.jsonl`. */
export function halfOf(family: string): Half {
  return family.endsWith('.held') ? 'held' : 'seen';
}
