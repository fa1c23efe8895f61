import { describe, expect, it } from 'vitest';
import type { CommandSpec } from './command.ts';
import { parseArguments, wholeNumber } from './options.ts';

const COMMAND: CommandSpec = {
  name: 'try',
  args: 'EVENT [DIR]',
  summary: '',
  about: '',
  options: [
    { name: 'payload', short: 'p', value: 'FILE', about: '' },
    { name: 'steps', value: 'N', about: '' },
    { name: 'json', short: 'j', about: '' },
  ],
  examples: [],
  load: () => Promise.reject(new Error('not called')),
};

const parse = (...argv: string[]) => parseArguments(COMMAND, argv);

describe('command arguments', () => {
  it('long and short options, with the value after a space, an equals sign or the letter', () => {
    for (const words of [['--payload', 'x'], ['--payload=x'], ['-p', 'x'], ['-px']]) {
      const args = parse('tool.pre', ...words, '--json');
      expect([args.value('payload'), args.has('json'), args.positionals]).toEqual(['x', true, ['tool.pre']]);
    }
  });

  it('a lone dash is a value, and everything after -- is positional', () => {
    expect(parse('e', '--payload', '-').value('payload')).toBe('-');
    expect(parse('--', '--json').positionals).toEqual(['--json']);
  });

  it.each([
    [['e', '--jsn'], 'unknown option --jsn (did you mean --json?)'],
    [['e', '-x'], 'unknown option -x'],
    [['e', '--payload'], '--payload needs a value (FILE)'],
    [
      ['e', '--payload', '--json'],
      '--payload needs a value (FILE); for a value that begins with a dash write --payload=--json',
    ],
    [['e', '--json=yes'], '--json takes no value, got "yes"'],
    [['e', '--json', '-j'], '--json is given twice'],
    [[], 'try needs EVENT'],
    [['e', 'd', 'x'], 'try does not take "x" as an argument'],
  ])('%j is refused', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });

  it('asking for help needs nothing else', () => {
    expect(parse('-h').has('help')).toBe(true);
  });

  it('numbers are whole and large enough', () => {
    expect(wholeNumber(parse('e', '--steps', '12'), 'steps', 1)).toBe(12);
    for (const text of ['0', '1.5', 'many', '1e3', '', '99999999999999999999']) {
      expect(() => wholeNumber(parse('e', `--steps=${text}`), 'steps', 1)).toThrow(
        '--steps: expected a whole number',
      );
    }
  });
});
