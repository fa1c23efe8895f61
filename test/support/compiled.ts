/**
 * C programs for tests. A machine without a compiler leaves them out and says so; where `CI` is true that is a failure, and a source
 * that does not compile is one everywhere.
 */
import { spawnSync } from 'node:child_process';

/** The file, or null if there is no compiler for it. */
export function compiled(file: string, ...words: readonly string[]): string | null {
  const { status, error, stderr } = spawnSync('cc', ['-o', file, ...words], { encoding: 'utf8' });
  if (status === 0) return file;
  if (error !== undefined) return withoutCompiler();
  // Compilers come without the libraries of their sanitizers.
  if (/cannot find .*[al]san|unsupported option '-fsanitize/.test(stderr))
    return withoutCompiler(' with sanitizers');
  throw new Error(`cc ${words.join(' ')} failed:\n${stderr}`);
}

export function withoutCompiler(which = ''): null {
  const words = `no C compiler${which}: tests of the native client want one (apt-get install gcc)`;
  if (process.env.CI === 'true') throw new Error(words);
  console.warn(`SKIPPED: ${words}`);
  return null;
}
