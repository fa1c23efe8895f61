/**
 * Words of a command line as one text that a shell reads back as the same words. Agents that start a program without a shell
 * are judged by the same rules as those that use one.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { ToolRow } from './adapter.ts';
import { quoted } from './guard-line.ts';
import { renaming, type ToolForm } from './tool-forms.ts';

/** Shells that only carry another command line: `bash -lc TEXT` is judged as TEXT. */
const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  '/bin/sh',
  '/bin/bash',
  '/bin/zsh',
]);
const RUNS_TEXT: ReadonlySet<string> = new Set(['-c', '-lc']);

/** Null if a word is no text, or there is none. */
export function commandText(words: readonly Json[]): string | null {
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return null;
  const [program, option, text] = words;
  // A first word such as A=1 would be an assignment for a shell, and is a program here.
  const wrapped = words.length === 3 && SHELLS.has(program!) && RUNS_TEXT.has(option!);
  if (wrapped) return text!;
  const [head, ...rest] = words.map(quoted);
  return [/=/.test(program!) ? `'${program!.replaceAll("'", "'\\''")}'` : head, ...rest].join(' ');
}

/** A tool whose command line, under `key`, may be a list of words. It is judged as text; a rewrite goes back through a shell. */
export function commandForm(tools: readonly ToolRow[], native: string, key: string): ToolForm {
  const plain = renaming(tools, native);
  return {
    split(input) {
      const words = isJsonObject(input) ? input[key] : null;
      const text = Array.isArray(words) ? commandText(words) : null;
      return plain.split(text === null ? input : { ...(input as object), [key]: text });
    },
    join(input, after) {
      const words = isJsonObject(input) ? input[key] : null;
      if (!Array.isArray(words)) return plain.join(input, after);
      const was = commandText(words);
      const joined = plain.join({ ...(input as object), [key]: was }, after);
      const text = isJsonObject(joined) ? joined[key] : null;
      if (typeof text !== 'string') return null;
      return { ...(joined as object), [key]: text === was ? words : ['sh', '-c', text] };
    },
  };
}
