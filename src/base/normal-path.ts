/** A path as text, without `.`, `..` and doubled slashes. Links are not looked up; a `..` behind a piece that is no plain text stays. */
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
