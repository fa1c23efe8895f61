/**
 * The packs that ship, once as they are and once with every part of every rule asked about every command: what their indexes
 * leave out must never have held.
 */
import { fileURLToPath } from 'node:url';
import { writtenPacks } from '../../scripts/packs-text.ts';
import { OFFERED } from '../../src/packs/needs.ts';
import { matchesOf, namesOf, sharedNames, subjectsOf } from '../../src/packs/pack.ts';
import { type IndexPlan, PlannedIndex, planIndex } from '../../src/packs/rule-index.ts';
import { readForPacks } from '../../src/packs/tool-call.ts';
import { loadCases } from './load.ts';

const { shared, packs } = writtenPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const names = sharedNames(shared);
const indexes = packs.map((pack) => {
  const own = namesOf(pack, names);
  const rules = pack.rules.map((written) => ({
    name: `${pack.pack}/${written.id}`,
    pack: pack.pack,
    written,
  }));
  const plan = planIndex(pack, own);
  return [new PlannedIndex(plan, rules, own), new PlannedIndex(open(plan), rules, own)] as const;
});

/** A plan by which everything concerns every command. */
function open({ first, needs, texts }: IndexPlan): IndexPlan {
  return {
    first,
    needs: needs.map((each) => each & OFFERED),
    programs: {},
    everywhere: needs.map((_, at) => at),
    texts: texts.map(() => []),
  };
}

/** Rules that hold by one and not by the other. */
export function differing(command: string, shell?: string): string[] {
  const subjects = subjectsOf(readForPacks(command, shell), command, names.sets, null);
  return indexes.flatMap(([planned, everything]) => {
    const [some, all] = [planned, everything].map(
      (index) => new Set(matchesOf(index, subjects).map(({ rule }) => rule.name)),
    );
    return [...some!, ...all!].filter((name) => some!.has(name) !== all!.has(name));
  });
}

export const corpus = [...loadCases()].map((each) => each.case);
const words = corpus.flatMap(({ command }) => command.split(/\s+/)).filter((word) => word !== '');

/** The same numbers every time. */
export function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

const JOINTS = [' ', ' ', ' ', ' ', ' ', ' | ', ' && ', '; ', ' > ', ' <<< ', ' "', "' ", ' $(', '=', '\n'];

/** Words of the corpus in an order that nobody wrote. */
export function generated(random: Generator<number, never>): string {
  const pick = <T>(list: readonly T[]): T => list[(random.next().value >>> 8) % list.length]!;
  const length = 1 + ((random.next().value >>> 8) % 12);
  let text = '';
  for (let i = 0; i < length; i++) text += `${pick(words)}${pick(JOINTS)}`;
  const shape = (random.next().value >>> 8) % 8;
  return shape === 0 ? text.toUpperCase() : shape === 1 ? `sudo ${text}` : text;
}
