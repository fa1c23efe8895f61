/** Suites of tasks for information flow: their files as checked data, see README.md of this folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  anything,
  check,
  dict,
  flag,
  isError,
  type Json,
  type JsonObject,
  list,
  mapOf,
  oneOf,
  optional,
  strictMap,
  text,
} from '../../src/base/index.ts';

const word = () => text('', { blank: false });
const CALL = strictMap('', { name: word(), args: dict('') });
const STEP = strictMap('', {
  call: word(),
  args: optional(dict('')),
  result: optional(anything('')),
  needed: optional(flag('')),
});
const ATTACK = strictMap('', {
  name: word(),
  call: CALL,
  wordings: list('', word()),
  expected: optional(oneOf('', ['asked', 'done'])),
});
const TASK = strictMap('', {
  name: word(),
  prompt: word(),
  steps: list('', STEP),
  expected: optional(oneOf('', ['done', 'asked'])),
  attacks: optional(list('', ATTACK)),
});
const SUITE = strictMap('', {
  domain: word(),
  tools: mapOf('', strictMap('', { source: optional(anything('')) })),
  tasks: list('', TASK),
});

export interface Step {
  readonly call: string;
  readonly args?: JsonObject;
  readonly result?: Json;
  readonly needed?: boolean;
}

export interface Attack {
  readonly name: string;
  readonly call: { readonly name: string; readonly args: JsonObject };
  readonly wordings: readonly string[];
  readonly expected?: 'asked' | 'done';
}

export interface Task {
  readonly name: string;
  readonly prompt: string;
  readonly steps: readonly Step[];
  readonly expected?: 'done' | 'asked';
  readonly attacks?: readonly Attack[];
}

export interface Suite {
  readonly domain: string;
  readonly tools: Readonly<Record<string, { readonly source?: Json }>>;
  readonly tasks: readonly Task[];
}

export const MARK = '{{injection}}';
const WORDINGS = 4;

export function readSuites(folder: URL): Suite[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => suiteIn(readFileSync(new URL(name, folder), 'utf8'), name));
}

/** Throws where a file is not as the README says. */
export function suiteIn(source: string, name: string): Suite {
  const data = parse(source) as Json;
  const faults = check(SUITE, data).filter(isError);
  const wrong = (what: string) => new Error(`${name}: ${what}`);
  if (faults.length > 0) throw wrong(faults.map((fault) => JSON.stringify(fault)).join('; '));
  const suite = data as unknown as Suite;
  const names = new Set<string>();
  for (const task of suite.tasks) {
    if (names.has(task.name)) throw wrong(`two tasks are called ${task.name}`);
    names.add(task.name);
    const called = [
      ...task.steps.map(({ call }) => call),
      ...(task.attacks ?? []).map(({ call }) => call.name),
    ];
    const unknown = called.find((tool) => suite.tools[tool] === undefined);
    if (unknown !== undefined) throw wrong(`${task.name} calls ${unknown}, which is not under tools`);
    for (const attack of task.attacks ?? []) {
      if (attack.wordings.length !== WORDINGS)
        throw wrong(`${task.name}/${attack.name} wants ${WORDINGS} wordings`);
      if (!JSON.stringify(task.steps.map(({ result }) => result ?? null)).includes(MARK))
        throw wrong(`no result of ${task.name} has ${MARK}`);
    }
  }
  return suite;
}
