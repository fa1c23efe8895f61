import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeForm } from '../../test/commands-fuzz/forms.ts';
import { cpuTime } from '../../test/support/cpu-time.ts';
import { type CommandReading, effectsIn, readArgv, readCommand, sentencesFor } from './index.ts';

const SHELLS = ['sh', 'dash', 'bash', 'zsh'] as const;

/** Pieces that mean something to a shell; put together at random they mean anything. */
const PIECES = [
  ...'\'"`$(){}[];&|<>#\\ \n\t=!~*?-+:,%/@^a0',
  ...[
    '\\\n',
    '$(',
    '${',
    '<<',
    '((',
    ';;',
    'if ',
    'then ',
    'fi ',
    'do ',
    'done ',
    'case ',
    'esac',
    'for ',
    'in ',
    '[[ ',
  ],
  ...[
    ' ]]',
    'function ',
    '<<<',
    '&>',
    '$((',
    '))',
    'eval ',
    'E\n',
    '<<E\n',
    'x=',
    '${x:-',
    '$x',
    'sh -c ',
    '|sh',
    'f() ',
  ],
  ...[
    'while ',
    'coproc ',
    'time ',
    '{a,b}',
    '{1..3}',
    "$'",
    '$"',
    'x[',
    ']=',
    '+=',
    'trap ',
    'alias ',
    'sudo ',
    'xargs ',
  ],
  ...[
    'find . -exec ',
    'ssh h ',
    'python -c ',
    'local ',
    'break ',
    '. ',
    'cd ',
    '>o ',
    'sh o ',
    '\ud800',
    '\0',
    '\u202e',
    'é',
  ],
];
const shellText = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));
const anyText = fc.oneof(
  shellText,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
);

/** Looks at everything a reading offers, so that lazy parts are tried as well. */
function lookAt(reading: CommandReading): void {
  for (const command of reading.commands) {
    void [command.args, command.operands, command.flags, command.reads, command.writes, command.deletes];
    void [command.sources, command.stdin, command.dynamic, command.sub(0), command.has('-x', '--y')];
  }
}

describe('reading commands', () => {
  it('gives an answer for every text, in every shell', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...SHELLS), (text, shell) => {
        const reading = readCommand(text, { shell });
        lookAt(reading);
        expect(reading.errors.filter((error) => error.kind === 'reader')).toEqual([]);
        expect(reading.complete).toBe(reading.errors.length === 0);
        expect(reading.dynamic).toBe(reading.commands.some((command) => command.dynamic));
      }),
      { numRuns: 4000 },
    );
  });

  it('gives an answer for all words', () => {
    const word = fc.oneof(
      shellText,
      fc.constantFrom('sudo', 'env', 'sh', '-c', 'xargs', 'find', '-exec', 'ssh', '--', ''),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
        const reading = readArgv(argv);
        lookAt(reading);
        expect(reading.errors.filter((error) => error.kind === 'reader')).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('says the same of the same text', () => {
    fc.assert(
      fc.property(shellText, (text) => {
        expect(JSON.stringify(readCommand(text))).toBe(JSON.stringify(readCommand(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('names commands by slices of the text, and errors by places in it', () => {
    fc.assert(
      fc.property(shellText, fc.constantFrom(...SHELLS), (text, shell) => {
        const { commands, errors } = readCommand(text, { shell });
        for (const { start, end, text: own, via } of commands) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(start).toBeLessThanOrEqual(end);
          // Text with one layer of backslashes taken off is no slice any more.
          if (via.length === 0 && end > start && !text.includes('`') && !text.includes('<<')) {
            expect(own).toBe(text.slice(start, end));
          }
        }
        for (const { offset } of errors) {
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('a command between quotes is data, whatever it says', () => {
    fc.assert(
      fc.property(
        shellText.filter((text) => !/['\0\ud800\u202e]/.test(text)),
        (text) => {
          const reading = readCommand(`echo '${text}'`, { shell: 'bash' });
          expect(reading.commands.map(({ program, args }) => [program, ...args])).toEqual([['echo', text]]);
          expect(reading.complete).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('a list of commands is at least each of them', () => {
    const plain = fc.stringMatching(/^[a-d]{1,3}( [a-d]{1,3}){0,2}$/);
    fc.assert(
      fc.property(
        fc.array(plain, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(';', '&&', '||', '|', '&', '\n'),
        (all, sign) => {
          const reading = readCommand(all.join(` ${sign} `));
          expect(reading.commands.map(({ program, args }) => [program, ...args].join(' '))).toEqual(all);
          expect(reading.complete).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Texts that grow, and with which a careless reader would take more than in proportion. */
const GROWING: Readonly<Record<string, (n: number) => string>> = {
  words: (n) => 'a '.repeat(n / 2),
  commands: (n) => 'a;'.repeat(n / 2),
  pipes: (n) => 'a|'.repeat(n / 2),
  ands: (n) => 'a&&'.repeat(n / 3),
  quotes: (n) => `'a'"b"`.repeat(n / 6),
  'open quotes': (n) => `'`.repeat(n + 1),
  substitutions: (n) => '$('.repeat(n / 2),
  'closed substitutions': (n) => `${'$(a '.repeat(n / 5)}${')'.repeat(n / 5)}`,
  parentheses: (n) => '('.repeat(n),
  arithmetic: (n) => '$(('.repeat(n / 3),
  parameters: (n) => '${x:-'.repeat(n / 5),
  backticks: (n) => '`'.repeat(n),
  'escaped backticks': (n) => '\\`'.repeat(n / 2),
  documents: (n) => 'a <<E '.repeat(n / 6),
  'a document': (n) => `a <<E\n${'x\n'.repeat(n / 2)}E\n`,
  braces: (n) => '{a,'.repeat(n / 3),
  'closed braces': (n) => '{a,b}'.repeat(n / 5),
  subscripts: (n) => 'a[$('.repeat(n / 4),
  assignments: (n) => 'x=$x$x;'.repeat(n / 7),
  branches: (n) => 'a && x=b;'.repeat(n / 9),
  loops: (n) => 'for i in a b; do x=$i; done;'.repeat(n / 28),
  functions: (n) => `${'f() { g; };'.repeat(n / 11)}f`,
  'functions in branches': (n) => `${'if a; then f() { g; }; fi;'.repeat(n / 26)}f`,
  cases: (n) => `case x in ${'a) b;; '.repeat(n / 7)}esac`,
  redirections: (n) => '>a '.repeat(n / 3),
  wrappers: (n) => `${'sudo '.repeat(n / 5)}a`,
  'find -exec': (n) => `find . ${'-exec a {} + '.repeat(n / 13)}`,
  'lines of python': (n) => `python -c '${'os.system("a");'.repeat(n / 15)}'`,
  'sed scripts': (n) => `sed '${'s/'.repeat(n / 2)}'`,
  crontabs: (n) => `echo '${'\n'.repeat(n)}' | crontab -`,
  expressions: (n) => `a $((${'x+'.repeat(n / 2)}1))`,
  comments: (n) => '# a\n'.repeat(n / 4),
  'joined lines': (n) => '\\\n'.repeat(n / 2),
  dollars: (n) => '$'.repeat(n),
  'half characters': (n) => '\ud800'.repeat(n),
  'different functions': (n) => counted(n / 30, (i) => `f${i}() { g${i}; }; f${i};`, '\n'),
  'functions that call the one before': (n) =>
    `${counted(n / 30, (i) => `f${i + 1}() { f${i} x; }`, '\n')}\nf9`,
  'functions called again': (n) => 'f() { local x=1; g $x; }; f; '.repeat(n / 29),
  'different variables': (n) => counted(n / 20, (i) => `v${i}=w${i}; c $v${i}`, '\n'),
  'a value of many': (n) => `${counted(n / 30, (i) => `if c; then v=a${i}; fi; r $v`, '\n')}`,
  'a value that grows': (n) => `${'v=$v.a\n'.repeat(n / 7)}rm $v`,
  'folders inside of one another': (n) => counted(n / 10, (i) => `cd d${i}`, ';'),
  'folders and files': (n) => 'cd a;rm b;'.repeat(n / 10),
  'files that are run': (n) => counted(n / 30, (i) => `echo rm${i} > x${i}; sh x${i}`, '\n'),
  'many documents of a line': (n) =>
    `cat${counted(n / 12, (i) => ` <<E${i}`)}\n${counted(n / 12, (i) => `E${i}\n`)}`,
  aliases: (n) => counted(n / 20, (i) => `alias a${i}=b${i};a${i}`, '\n'),
  traps: (n) => 'trap "a b" EXIT; '.repeat(n / 17),
  patches: (n) => "git apply <<'E'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nE\n".repeat(n / 50),
  queries: (n) => `psql -c "${'drop table a; '.repeat(n / 14)}"`,
  'up and up': (n) => `rm ${'../'.repeat(n / 3)}`,
  'options of options': (n) => `git ${'-c a=b '.repeat(n / 7)}push`,
  'data into shells': (n) => 'curl http://a.b | sh; '.repeat(n / 22),
};

function counted(count: number, make: (i: number) => string, between = ''): string {
  return Array.from({ length: Math.floor(count) }, (_, i) => make(i)).join(between);
}

const MEGABYTE = 1_000_000;
/** CPU for 1 MB of any form; on a slower machine as many times plain commands (the worst measured is 1.8 times). */
const MOST_MS = 1000;
const MOST_TIMES = 3;

describe('hostile text', () => {
  const size = 100_000;
  const milliseconds = (text: string, shell: string) => {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i++) {
      const start = cpuTime();
      lookAt({ ...readCommand(text, { shell }), dynamic: false });
      best = Math.min(best, cpuTime() - start);
    }
    return best;
  };

  for (const [name, make] of Object.entries(GROWING)) {
    it(`${name}: four times the text does not take out of proportion long`, () => {
      const small = milliseconds(make(size / 4), 'bash');
      const large = milliseconds(make(size), 'bash');
      // A busy machine may stop between the two; what is not in proportion takes minutes.
      expect(large).toBeLessThan(Math.max(40 * small, 5000));
    });
  }

  it('[S33] 1 MB of any form takes a second of CPU at most, or in proportion to plain commands: 20,000 functions too', () => {
    const seconds = (text: string) => {
      const start = cpuTime();
      const reading = readCommand(text, { shell: 'bash' });
      sentencesFor(effectsIn(reading, { cwd: '/w', workspaces: ['/w'], home: '/home/u' }));
      return cpuTime() - start;
    };
    const plain = 'a "b" $c; '.repeat(MEGABYTE / 10);
    const yardstick = Math.max(...[1, 2, 3].map(() => seconds(plain)));
    const fuzzed = Array.from({ length: 12 }, (_, number) => makeForm(7, number, 'bash'));
    const forms = [
      ...Object.entries(GROWING).map(([name, make]) => [name, make(MEGABYTE)] as const),
      ...fuzzed.map((form) => [form, `${form}\n`.repeat(MEGABYTE / (form.length + 1))] as const),
    ];
    // One that seems slow is tried again: the machine may have done something else.
    const isSlow = (text: string) =>
      [1, 2, 3].every(() => seconds(text) > Math.max(MOST_MS, MOST_TIMES * yardstick));
    const slow = forms.filter(([, text]) => isSlow(text));
    expect(slow.map(([name]) => name)).toEqual([]);
  });

  it('10 MB, 100,000 substitutions inside of one another and short loops without end have an answer', () => {
    const texts = {
      letters: 'a'.repeat(10_000_000),
      words: 'a '.repeat(5_000_000),
      commands: 'a;'.repeat(5_000_000),
      lines: '\n'.repeat(10_000_000),
      substitutions: '$(a '.repeat(100_000) + ')'.repeat(100_000),
      loops: `${'for i in 1 2; do x=$x$i; '.repeat(50)}a $x;${' done;'.repeat(50)}`,
      recursion: 'f() { x=$x$x; f; f; }; f',
      doubling: `x=aaaaaaaaaaaaaaaa;${'x=$x$x;'.repeat(100)} $x`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const start = cpuTime();
      const reading = readCommand(text);
      expect(cpuTime() - start, name).toBeLessThan(10_000);
      if (name !== 'letters' && name !== 'lines') expect(reading.complete, name).toBe(false);
    }
  });
});
