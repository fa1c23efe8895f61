/**
 * `docs/reference/programs.md`: kinds of effects, zones of paths, and every row of the table of programs with its examples.
 */
import { readFileSync } from 'node:fs';
import { EFFECT_KINDS } from '../src/shell/effects/effect.ts';
import { ZONES } from '../src/shell/effects/zones.ts';
import { type Row, type SubRow, wordsIn } from '../src/shell/programs/notation.ts';
import { FAMILIES } from '../src/shell/programs/rows/index.ts';
import { code, page, table } from './page.ts';

const MOST_NAMES = 12;
const COMPARED = '✓';

/** Programs whose options a test compares with their manual. */
function inManuals(): ReadonlySet<string> {
  const lines = readFileSync('test/programs/manuals.tsv', 'utf8').trim().split('\n');
  return new Set(lines.map((line) => line.split('\t')[0]!));
}

export function programsPage(): string {
  const manuals = inManuals();
  const rows = Object.values(FAMILIES).flat();
  const programs = rows.reduce((sum, row) => sum + wordsIn(row.names).length, 0);
  const untested = rows.filter((row) => row.examples === undefined && !isCompared(row, manuals)).length;
  return page(
    '# Programs and their effects',
    `What each program does is said once, in one table: ${programs} programs in ${rows.length} rows. Rules, hooks (\`shell.parse(text).effects\`), \`harness explain\` and approval questions use it. A program without a row is run as an unknown one, may read its operands, and has its verbs read: \`anything cluster destroy x\` possibly deletes.`,
    `A test compares which options take a value with the manual pages of Debian for the ${manuals.size} programs that have one; their rows are marked ${COMPARED}. Examples are tested too. ${untested} rows have neither.`,
    '## Kinds of effects',
    table(
      ['kind', 'the command'],
      Object.entries(EFFECT_KINDS).map(([kind, doc]) => `| ${code(kind)} | ${doc} |`),
    ),
    '## Zones of paths',
    'A zone covers those below it: `home` covers `home.credentials`. A path that cannot be known is `unknown`, never `workspace`.',
    table(
      ['zone', 'what stands there'],
      Object.entries(ZONES).map(([zone, doc]) => `| ${code(zone)} | ${doc} |`),
    ),
    '## How to read a row',
    'Operands and values of options are roles: `read`, `write`, `delete`, `edit` and `mode` are paths; `command+` is a program with its words; `shell` is text for a shell that stands for the program, `helper` one that it runs beside its work; `code` and `codefile` are text of its language; `-` is nothing of interest, `?` is not known. `*` is any number, `+` all the rest. An effect is `KIND VERB of RESOURCE if CONDITION unless CONDITION`: `-f` an option, `=x*` an operand like this, `~x*` any argument, `>a+b` the first operands, `#2` at least two of them.',
    ...Object.entries(FAMILIES).map(([title, rows]) => family(title, rows, manuals)),
  );
}

function isCompared({ names: written }: Row, manuals: ReadonlySet<string>): boolean {
  return wordsIn(written).some((name) => manuals.has(name));
}

function family(title: string, rows: readonly Row[], manuals: ReadonlySet<string>): string {
  const lines = rows.map(
    (row) =>
      `| ${names(row)}${isCompared(row, manuals) ? ` ${COMPARED}` : ''} | ${cell(wordsOf(row))} | ${effects(row)} |`,
  );
  const examples = rows.flatMap(({ examples: own }) => Object.entries(own ?? {}));
  const shown =
    examples.length === 0
      ? ''
      : `\n\n${table(
          ['example', 'effects'],
          examples.map(([command, stated]) => `| ${cell(command)} | ${stated} |`),
        )}`;
  return `## ${title}\n\n${table(['program', 'operands and options', 'effects'], lines)}${shown}`;
}

function names({ names: written }: Row): string {
  const all = wordsIn(written);
  const shown = all.slice(0, MOST_NAMES).map((name) => cell(name));
  return shown.join(' ') + (all.length > MOST_NAMES ? ` and ${all.length - MOST_NAMES} more` : '');
}

function wordsOf({ operands, values, language }: SubRow): string {
  const runs = language === undefined ? '' : `runs ${language}`;
  return [operands ?? '', (values ?? '').replace(/\s+/g, ' '), runs].filter((text) => text !== '').join('; ');
}

function effects(row: Row): string {
  const own = stated(row);
  const subs = Object.entries(row.subs ?? {}).flatMap(([key, sub]) => {
    const each = stated(typeof sub === 'string' ? { effects: sub } : sub);
    const starts =
      typeof sub !== 'string' && /command\+|shell[+*]/.test(sub.operands ?? '') ? ['starts a command'] : [];
    const all = [...each, ...starts];
    return all.length === 0 ? [] : [`${cell(key.split('|').join(', '))}: ${all.join('; ')}`];
  });
  return [...own, ...subs].join('<br>');
}

function stated({ effects: written }: SubRow): readonly string[] {
  return [written ?? []].flat().map((effect) => plain(effect.replace(/\s+/g, ' ')));
}

function plain(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
}

function cell(text: string): string {
  return text === '' ? '' : code(text.replaceAll('|', '\\|'));
}
