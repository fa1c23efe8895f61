/**
 * What SQL does that cannot be taken back: statements by their first words, with the tables they name.
 */
import { sqlStatements } from './sql-text.ts';

export interface SqlEffect {
  /** `drop`, `truncate`, `delete` or `update` of every row, `grant`. */
  readonly verb: string;
  readonly tables: readonly string[];
}

const MOST_SQL = 20_000;
const STATEMENTS: readonly (readonly [verb: string, pattern: RegExp])[] = [
  [
    'drop',
    /^drop\s+(?:table|database|schema|view|materialized\s+view|user|role|keyspace|tablespace|index|collection)\s+(?:if\s+exists\s+)?([\w.$"`]+)/i,
  ],
  ['drop', /^alter\s+table\s+([\w.$"`]+)\s+drop\b/i],
  ['truncate', /^truncate\s+(?:table\s+)?(?:only\s+)?([\w.$"`]+)/i],
  ['delete', /^delete\s+from\s+(?:only\s+)?([\w.$"`]+)\s*(?:where\s+(?:true|1|1\s*=\s*1)\s*)?$/i],
  ['update', /^update\s+(?:only\s+)?([\w.$"`]+)\s+set\b(?!.*\bwhere\b)/is],
  ['grant', /^grant\s+all\b.*?\bto\s+([\w"`@%'.]+)/is],
];

export function sqlEffects(text: string): readonly SqlEffect[] {
  const found = new Map<string, string[]>();
  for (const statement of sqlStatements(text.slice(0, MOST_SQL)).split(';')) {
    const plain = statement.trim();
    for (const [verb, pattern] of STATEMENTS) {
      const table = pattern.exec(plain)?.[1];
      if (table === undefined) continue;
      found.set(verb, [...(found.get(verb) ?? []), table.replace(/["`]/g, '')]);
      break;
    }
  }
  return [...found].map(([verb, tables]) => ({ verb, tables }));
}
