/**
 * Paths as text: seen from a folder, without `.` and `..`. Links are not looked up, and a `..` behind a piece that is not
 * plain text stays where it is.
 */
import { normalPath } from '../base/index.ts';
import type { Field } from './known/values.ts';

/** `C:/x` stands where it says. */
const DRIVE = /^[A-Za-z]:\//;

/** `cwd` may be relative to where the text starts, or null if it is not known. */
export function resolvePath(cwd: string | null, { text, tilde }: Pick<Field, 'text' | 'tilde'>): string {
  if (text.startsWith('/') || (tilde && text !== '') || DRIVE.test(text)) return normalPath(text);
  if (text === '') return text;
  // A file whose name begins with `~` is no home folder.
  const named = text.startsWith('~') ? `./${text}` : text;
  if (cwd === null || cwd === '' || /^\$[({]/.test(text)) return normalPath(named);
  return normalPath(`${cwd}/${named}`);
}
