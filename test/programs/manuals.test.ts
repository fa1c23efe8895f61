/**
 * Rows of programs against the manual pages of Debian: which options take a value. A wrong row makes an operand of a value, or a
 * value of an operand. `manuals.tsv` is made by `scripts/options-of-manuals.mjs`; what no page says is counted on the page of programs.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { programNamed } from '../../src/shell/programs/table.ts';

type Arity = '' | '=' | '[=]';

const MANUALS = readFileSync(new URL('manuals.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', options = ''] = line.split('\t');
    return { name, options: options.split(' ').map(readOption) };
  });

function readOption(text: string): { readonly option: string; readonly arity: Arity } {
  const [, option = '', arity = ''] = /^(--?[\w-]+?)(=|\[=\])?$/.exec(text) ?? [];
  return { option, arity: arity as Arity };
}

const SAID: readonly Arity[] = ['', '=', '[=]', '='];

/** What a row says of an option; undefined if it does not list it. */
function inRow(name: string, option: string): Arity | undefined {
  const { row, wholeSpec } = programNamed(name)!;
  const known = option.startsWith('--') || row.single === true ? wholeSpec.long : wholeSpec.short;
  const key = option.replace(/^--?/, '');
  if (known === wholeSpec.short && key.length > 1) return undefined;
  const arity = known.get(key);
  return arity === undefined ? undefined : SAID[arity];
}

const compared = MANUALS.flatMap(({ name, options }) =>
  options.map(({ option, arity }) => ({ name, option, arity, row: inRow(name, option) })),
);

/** Where a page says in words what its synopsis does not, or the other way about; each was looked up. */
const SAID_OTHERWISE: ReadonlySet<string> = new Set(
  `apt-get -t, apt-get -c, apt-get --config-file, apt-get -o, apt-get --option, curl -x, curl --proxy, gpg -r, gpg -u, man -P, man -p,
  mke2fs -C, mke2fs -O, node --inspect-brk, node --inspect, node --test-name-pattern, node --test-reporter, node -p, node --print,
  nodejs --inspect-brk, nodejs --inspect, nodejs --test-name-pattern, nodejs --test-reporter, nodejs -p, nodejs --print, prlimit -p,
  prlimit --pid, sed -e, start-stop-daemon --start, start-stop-daemon -S, strace --quiet, strace --decode-fds, strings -s, xargs --max-args,
  zgrep --directories, zip -x, zip -i, zip -t`
    .split(',')
    .map((each) => each.trim()),
);
/** Options with a value that no row lists: with a blank before it, the value counts as an operand. May only fall. */
const MOST_UNLISTED = 1530;

describe('rows of programs agree with the manual', () => {
  it('on which of the options they list take a value', () => {
    const wrong = compared
      .filter(({ row, arity }) => row !== undefined && row !== arity)
      .filter(({ name, option }) => !SAID_OTHERWISE.has(`${name} ${option}`))
      .map(({ name, option, row, arity }) => `${name} ${option}${arity} is ${option}${row} in its row`);
    expect(wrong).toEqual([]);
  });

  it('and list most that do', () => {
    const unlisted = compared.filter(({ row, arity }) => row === undefined && arity === '=');
    expect(unlisted.length).toBeLessThanOrEqual(MOST_UNLISTED);
  });

  it('and of what starts other programs list all, but of four', () => {
    const unlisted = compared.filter(({ row, arity }) => row === undefined && arity === '=');
    const starters = unlisted.filter(({ name }) => programNamed(name)!.starts !== null);
    expect([...new Set(starters.map(({ name }) => name))]).toEqual([
      'capsh',
      'heaptrack',
      'strace',
      'valgrind',
    ]);
  });
});
