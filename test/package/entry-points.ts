/**
 * The entry points of the package as package.json names them, and the names each exports, types too: read from the sources.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

interface Target {
  readonly types: string;
  readonly default: string;
}

const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly exports: Readonly<Record<string, Target | string>>;
};

export interface EntryPoint {
  /** As a program imports it. */
  readonly specifier: string;
  readonly source: string;
}

export const ENTRY_POINTS: readonly EntryPoint[] = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [{ specifier: name + path.slice(1), source: sourceOf(target.types) }],
);

function sourceOf(built: string): string {
  return join(ROOT, built.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'));
}

export interface ExportedNames {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** Follows `export * from`; the sources write one export in few ways, and `values` is compared with what is there. */
export function exportedNames(file: string): ExportedNames {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const values: string[] = [];
  const types: string[] = [];
  for (const [, type, list] of code.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const part of list!.split(',').map((each) => each.trim())) {
      if (part === '') continue;
      const exported = part.split(' as ').at(-1)!;
      if (type !== undefined || part.startsWith('type ')) types.push(exported.replace(/^type /, ''));
      else values.push(exported);
    }
  }
  for (const [, kind, declared] of code.matchAll(
    /^export (?:abstract |async )?(class|function|const|interface|type) (\w+)/gm,
  ))
    (kind === 'interface' || kind === 'type' ? types : values).push(declared!);
  for (const [, named] of code.matchAll(/^export \* as (\w+) from/gm)) values.push(named!);
  for (const [, path] of code.matchAll(/^export \* from '([^']+)'/gm)) {
    const more = exportedNames(join(dirname(file), path!));
    values.push(...more.values);
    types.push(...more.types);
  }
  // A class is both; it counts as a value.
  const known = new Set(values);
  return {
    values: [...known].sort(),
    types: [...new Set(types)].filter((each) => !known.has(each)).sort(),
  };
}
