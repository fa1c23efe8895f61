import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Command, readArgv, readCommand } from './index.ts';

/** What a case may say of a command; everything it says must hold. */
type Expected = Record<string, unknown>;

interface Case {
  readonly title?: string;
  readonly text: string;
  readonly shell?: string;
  readonly cwd?: string;
  readonly home?: string;
  /** Programs with their words, all of them and in order. */
  readonly named?: readonly string[];
  /** Some of them. */
  readonly includes?: readonly string[];
  /** Commands in order; a case with fewer says nothing of the rest. */
  readonly commands?: readonly Expected[];
  readonly complete?: boolean;
  /** Kinds of errors. */
  readonly kinds?: readonly string[];
  readonly has?: readonly string[];
  readonly hasNot?: readonly string[];
}

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'cases');

/** How a case spells what is more than a word. */
const SPELT: Readonly<Record<string, (command: Command) => unknown>> = {
  assigns: (command) => command.assigns.map(({ name, value }) => `${name}=${value}`),
  sources: (command) => command.sources.map(({ program }) => program),
  code: (command) => command.code?.language ?? null,
  sub: (command) => command.sub(0),
  /** Words that may be any number of words. */
  several: (command) => command.words.filter(({ many }) => many).map(({ text }) => text),
};

for (const file of readdirSync(FOLDER)) {
  const cases = parse(readFileSync(join(FOLDER, file), 'utf8')) as Case[];
  describe(`commands: ${file.replace('.yaml', '')}`, () => {
    for (const [i, each] of cases.entries()) {
      const name = each.title ?? JSON.stringify(each.text);
      it(`${i + 1}. ${name}${each.shell === undefined ? '' : ` (${each.shell})`}`, () => hold(each));
    }
  });
}

function hold(each: Case): void {
  const reading = readCommand(each.text, { shell: each.shell, cwd: each.cwd, home: each.home });
  const named = reading.commands
    .filter((command) => command.program !== '')
    .map((command) => [command.path, ...command.args].join(' '));
  const shown = JSON.stringify({ named, errors: reading.errors });
  if (each.named !== undefined) expect(named, shown).toEqual(each.named);
  for (const one of each.includes ?? []) expect(named, shown).toContain(one);
  each.commands?.forEach((expected, i) => {
    const command = reading.commands[i];
    expect(command, shown).toBeDefined();
    const got = Object.fromEntries(
      Object.keys(expected).map((key) => [
        key,
        SPELT[key]?.(command!) ?? command![key as keyof Command] ?? null,
      ]),
    );
    expect(got, shown).toEqual(expected);
  });
  const kinds = reading.errors.map((error) => error.kind);
  for (const kind of each.kinds ?? []) expect(kinds, shown).toContain(kind);
  const complete = each.complete ?? (each.kinds === undefined ? undefined : false);
  if (complete !== undefined) expect(reading.complete, shown).toBe(complete);
  for (const flag of each.has ?? []) expect(reading.commands[0]!.has(flag), flag).toBe(true);
  for (const flag of each.hasNot ?? []) expect(reading.commands[0]!.has(flag), flag).toBe(false);
}

describe('words without a shell', () => {
  const named = (argv: readonly string[]) => readArgv(argv).commands.map(({ path, args }) => [path, ...args]);

  it('are one command, whatever signs stand in them', () => {
    expect(named(['echo', 'a; rm x', '$(rm y)', '>z'])).toEqual([['echo', 'a; rm x', '$(rm y)', '>z']]);
    expect(readArgv(['echo', '$x']).complete).toBe(true);
  });

  it('are followed through wrappers and shells', () => {
    expect(named(['sudo', 'sh', '-c', 'rm x; ls'])).toContainEqual(['rm', 'x']);
  });

  it('do not mean builtins', () => {
    expect(named(['eval', 'rm x'])).toEqual([['eval', 'rm x']]);
  });

  it('without any are an error', () => {
    expect(readArgv([])).toMatchObject({ complete: false, commands: [] });
  });
});
