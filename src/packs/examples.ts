/**
 * Holds packs to what they say of themselves: every example that must be stopped is, every one that must pass does, and no
 * safer way is itself refused by any rule in force.
 */
import type { CommandReading } from '../shell/index.ts';
import { matchesOf, offeredSubject, type Pack, type Rule, subjectsOf } from './pack.ts';
import type { PathSets } from './path-sets.ts';
import { shippedShared } from './shipped.ts';
import { flowExample, originsOfExample } from './sinks.ts';
import type { Subject } from './subject.ts';
import { readForPacks, ToolCall } from './tool-call.ts';

export interface ExampleFault {
  readonly rule: string;
  readonly message: string;
}

export async function exampleFaults(
  packs: readonly Pack[],
  enabled: ReadonlySet<Rule>,
): Promise<ExampleFault[]> {
  const judge = (text: string): readonly Rule[] => {
    const subjects = exampleSubjects(text, readForPacks(text), shippedShared().sets);
    return packs.flatMap(({ index }) => matchesOf(index, subjects)).map(({ rule }) => rule);
  };
  const faults: ExampleFault[] = [];
  for (const rule of packs.flatMap(({ rules }) => rules)) {
    const { examples, instead = '' } = rule.written;
    const say = (message: string) => faults.push({ rule: rule.name, message });
    for (const text of examples.stops) {
      if (!judge(text).includes(rule)) say(`does not stop its example ${JSON.stringify(text)}`);
    }
    for (const text of examples.passes) {
      if (judge(text).includes(rule)) say(`stops its example that must pass ${JSON.stringify(text)}`);
    }
    for (const text of commandsIn(instead)) {
      const refusing = judge(text).find((each) => enabled.has(each));
      if (refusing !== undefined) say(`suggests ${JSON.stringify(text)}, which ${refusing.name} refuses`);
    }
  }
  return faults;
}

/** What an example of a rule may be: a command, the text of a definition, or a call with what was read before it. */
export function exampleSubjects(text: string, reading: CommandReading, sets: PathSets): readonly Subject[] {
  const example = flowExample(text);
  if (example !== null) {
    const { tool, args } = example;
    return new ToolCall(tool, args, null, shippedShared()).flowSubjects(originsOfExample(example));
  }
  return [...subjectsOf(reading, text, sets, null), offeredSubject('', text, sets)];
}

/** Commands in backticks. */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, command]) => command!);
}
