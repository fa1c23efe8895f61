/**
 * The texts of this folder as cases. Half of each file is set aside by the hash of the text: it is counted, never shown.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fill, hasFiller, hashOf } from './fill.ts';

export type Half = 'shown' | 'set aside';

export interface SecretCase {
  readonly name: string;
  readonly half: Half;
  readonly text: string;
  readonly secrets: readonly string[];
}

export interface PlainCase {
  readonly half: Half;
  readonly text: string;
}

export interface RuleExample {
  readonly rule: string;
  readonly found: boolean;
  readonly text: string;
}

const HALVES: readonly Half[] = ['shown', 'set aside'];

function halfOf(template: string): Half {
  // Not the lowest bit: in FNV that of the last character decides it.
  return HALVES[(hashOf(template) >>> 9) & 1]!;
}

export function secretCases(folder: string): SecretCase[] {
  return sections(read(folder, 'secrets.txt')).map(({ name, body }) => {
    const marked = fill(body);
    const secrets = Array.from(marked.matchAll(/«([^»]*)»/g), (match) => match[1]!);
    return { name, half: halfOf(body), text: marked.replace(/[«»]/g, ''), secrets };
  });
}

/** A line that has something drawn in it counts three times, each time with another draw. */
export function everydayLines(folder: string): PlainCase[] {
  return plainCases(read(folder, 'everyday.txt'), 3);
}

export function nearMisses(folder: string): PlainCase[] {
  return plainCases(read(folder, 'near-misses.txt'), 1);
}

function plainCases(text: string, draws: number): PlainCase[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const count = hasFiller(line) ? draws : 1;
    return Array.from({ length: count }, (_, variant) => ({ half: halfOf(line), text: fill(line, variant) }));
  });
}

export function ruleExamples(folder: string): RuleExample[] {
  return sections(read(folder, 'examples.txt')).flatMap(({ name, body }) =>
    body.split('\n').flatMap((line) => {
      if (line === '') return [];
      const text = fill(line.slice(2)).replaceAll('\\n', '\n');
      return [{ rule: name, found: line.startsWith('+ '), text }];
    }),
  );
}

function sections(text: string): { name: string; body: string }[] {
  return text
    .split(/^---- /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return { name: section.slice(0, end), body: section.slice(end + 1).replace(/\n$/, '') };
    });
}

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
