/**
 * Another reader, written by others, finds no command in made-up texts that ours does not find.
 */
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { readCommand } from '../../src/shell/index.ts';
import { makeForm } from './forms.ts';

const TEXTS = 3000;
const SEED = 77;

it(`in ${TEXTS} texts every plain command that unbash sees is named`, () => {
  let compared = 0;
  for (let number = 0; number < TEXTS; number++) {
    const text = makeForm(SEED, number, 'bash');
    const reading = readCommand(text, { shell: 'bash' });
    const other = parse(text);
    if (!reading.complete || (other.errors?.length ?? 0) > 0) continue;
    const names = new Set(reading.commands.map((command) => command.path));
    for (const name of plainNames(other)) {
      compared++;
      expect(names, `--seed ${SEED} --from ${number}\n${text}`).toContain(name);
    }
  }
  expect(compared).toBeGreaterThan(TEXTS / 2);
});

/** Names of simple commands without expansions, outside of functions, which run only when they are called. */
function plainNames(node: unknown, names: string[] = []): string[] {
  if (Array.isArray(node)) for (const each of node) plainNames(each, names);
  else if (typeof node === 'object' && node !== null) {
    const { type, name } = node as {
      type?: string;
      name?: { value?: string; text?: string; parts?: unknown };
    };
    if (type === 'Function') return names;
    if (type === 'Command' && name !== undefined && name.parts === undefined && name.value === name.text) {
      names.push(name.value!);
    }
    for (const each of Object.values(node)) plainNames(each, names);
  }
  return names;
}
