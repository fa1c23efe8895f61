/**
 * Paths as text: seen from a folder, without `.` and `..`. Links are not looked up, and a `..` behind a piece that is not
 * plain text stays where it is.
 */
import type { Field } from './known/values.ts';

/** `cwd` may be relative to where the text starts, or null if it is not known. */
export function resolvePath(cwd: string | null, { text, tilde }: Pick<Field, 'text' | 'tilde'>): string {
  if (text.startsWith('/') || (tilde && text !== '')) return normalPath(text);
  if (text === '') return text;
  // A file whose name begins with `~` is no home folder.
  const named = text.startsWith('~') ? `./${text}` : text;
  if (cwd === null || cwd === '' || /^\$[({]/.test(text)) return normalPath(named);
  return normalPath(`${cwd}/${named}`);
}

export function normalPath(path: string): string {
  if (!path.includes('/') || !/\/(?:\.{0,2}(?:\/|$))|^\.{1,2}(?:\/|$)/.test(path)) return path;
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    const plain = last !== undefined && last !== '..' && !/[$*?[{~]/.test(last);
    if (part === '..' && plain) parts.pop();
    else if (part === '..' && absolute && parts.length === 0) continue;
    else parts.push(part);
  }
  const joined = parts.join('/');
  if (absolute) return `/${joined}`;
  if (joined === '') return '.';
  // `./~` is not `~`.
  return joined.startsWith('~') && !path.startsWith('~') ? `./${joined}` : joined;
}
