/**
 * Hooks whose script or condition names a table from elsewhere: it is fetched before they run, and what there was is on the
 * tape by its digest. Without it such a hook has not judged: the table's `unavailable` says what that means, and if it does not,
 * the hook has failed; under `strict` that is a block.
 */
import type { Json, JsonObject, Problem } from '../../base/index.ts';
import { type FetchedTables, type Hook, type HookCall, layerOf } from '../../engine/index.ts';
import { type RemoteTable, wordFor } from '../../frontends/index.ts';
import type { Content } from '../../machine/index.ts';
import { type EnvironmentRules, environmentRules, MODEL_KEYS, mayName } from '../environment.ts';
import type { LoadedLayer } from '../loaded-layer.ts';
import { TableSource, tableValue } from './table-source.ts';

interface LayerTable {
  readonly table: RemoteTable;
  readonly rank: number;
  readonly schema: Json | undefined;
  readonly domains: readonly string[];
}

export interface WithTables {
  readonly hooks: readonly Hook[];
  readonly problems: readonly Problem[];
}

/** `domains` are those of a layer; `strictRank` is that of the highest strict layer, null if none is. */
export function withRemoteTables(
  hooks: readonly Hook[],
  layers: readonly LoadedLayer[],
  domains: (rank: number) => readonly string[],
  strictRank: number | null,
): WithTables {
  const source = new TableSource();
  const rules = environmentRules(layers);
  const problems: Problem[] = [];
  const inFiles = new Set<string>();
  const tables = layers.flatMap(({ rank, kind, name: layer, project }) => {
    const own = project.settings.tables.filter(({ name }) => !inFiles.has(name));
    for (const name of project.data.keys()) inFiles.add(name);
    const allowed = domains(rank);
    return own.map((written): LayerTable => {
      const named = kind !== 'project' || mayAsk(rules, written.tokenEnv);
      const table = usable(written, project.data.has(written.name), allowed, named);
      if (table.problem !== undefined && written.problem === undefined)
        problems.push(problemOf(table, layer, 'CONFIG_INVALID', table.problem));
      return { table, rank, schema: project.schemas.get(table.name), domains: allowed };
    });
  });
  problems.push(...tables.flatMap((each) => loosened(each, strictRank)));
  const wrapped = hooks.map((hook) => {
    const above = tables.filter(({ rank }) => rank <= layerOf(hook).rank);
    const named = namedBy(hook, above);
    return named.length === 0 ? hook : waiting(hook, named, source, strictRank);
  });
  return { hooks: wrapped, problems };
}

/** What is wrong with it in this policy, beside what is wrong with it anyway. */
function usable(
  table: RemoteTable,
  hasFile: boolean,
  domains: readonly string[],
  mayName: boolean,
): RemoteTable {
  const wrong = (problem: string) => ({ ...table, problem });
  if (table.problem !== undefined) return table;
  if (hasFile) return wrong(`there is a data file of the name "${table.name}" as well`);
  if (domains.length === 0)
    return wrong(
      'nothing may be reached: network.allowed_domains lists no domain, or the folder is not trusted',
    );
  if (!mayName)
    return wrong(
      `token_env: a project may not name ${table.tokenEnv}: environment.name of the user's policy lists those it may`,
    );
  return table;
}

/** The keys of models, which a project may name for a model, are nobody else's. */
function mayAsk(rules: EnvironmentRules, variable: string | null): boolean {
  return variable === null || (mayName(rules, variable) && !MODEL_KEYS.includes(variable));
}

function loosened({ table, rank }: LayerTable, strictRank: number | null): Problem[] {
  if (!Object.values(table.unavailable).includes('allow')) return [];
  const refused = strictRank !== null && rank > strictRank;
  return [
    refused
      ? problemOf(
          table,
          null,
          'GUARD_LOOSENED',
          'unavailable: allow is not followed: a higher layer is strict',
        )
      : problemOf(
          table,
          null,
          'GUARD_MAY_BE_OFF',
          'the guards that read it may be off: unavailable is allow',
        ),
  ];
}

function problemOf(
  { name, file, line }: RemoteTable,
  layer: string | null,
  code: Problem['code'],
  what: string,
): Problem {
  return {
    severity: code === 'CONFIG_INVALID' ? 'error' : 'warning',
    code,
    message: `data.tables.${name}: ${what}`,
    position: { file, line, col: 1 },
    ...(layer !== null && { layer }),
  };
}

/** `data` that is followed by no name could be handed anywhere: then it may be any of them. */
const ANY = /\bdata\b(?!\s*\.\s*[A-Za-z_])/;

function namedBy(hook: Hook, tables: readonly LayerTable[]): readonly LayerTable[] {
  if (tables.length === 0) return [];
  const text = textOf(hook);
  if (!/\bdata\b/.test(text)) return [];
  const all = ANY.test(text);
  const first = new Map<string, LayerTable>();
  // From the highest layer down: a table of a higher one is not replaced.
  for (const each of tables) if (!first.has(each.table.name)) first.set(each.table.name, each);
  return [...first.values()].filter(({ table }) => all || mentionsTable(text, table.name));
}

const DATA_REFERENCE = /\bdata\s*\.\s*([A-Za-z_]\w*)/g;

function mentionsTable(text: string, name: string): boolean {
  return [...text.matchAll(DATA_REFERENCE)].some(([, named]) => name === '*' || named === name);
}

function textOf({ written, condition }: Hook): string {
  if (written === undefined) return condition?.text ?? '';
  const { script, when, on_error } = written().frontMatter;
  return [script, when, on_error, condition?.text].filter((each) => typeof each === 'string').join('\n');
}

function waiting(
  hook: Hook,
  tables: readonly LayerTable[],
  source: TableSource,
  strictRank: number | null,
): Hook {
  const { body, condition, failureMode } = hook;
  if (body === null) return hook;
  const fetchTables = async (call: HookCall): Promise<FetchedTables> => {
    call.fetching ??= readAll(call, tables, source, strictRank);
    call.fetched = await call.fetching;
    return call.fetched;
  };
  const inCondition = tables.some(({ table }) => mentionsTable(condition?.text ?? '', table.name));
  return {
    ...hook,
    ...(condition !== null &&
      inCondition && {
        condition: {
          ...condition,
          // Whether the guard is meant cannot be told: then it is, and says below why it cannot judge.
          test: async (seen: unknown, call: HookCall) => {
            const { missing } = await fetchTables(call);
            return missing !== null || condition.test(seen, call);
          },
        },
      }),
    body: async (seen, call) => {
      const { notes, missing } = await fetchTables(call);
      if (missing !== null) throw new Error(missing.why);
      for (const note of notes) call.log('warn', note);
      return body(seen, call);
    },
    failureMode: {
      text: failureMode?.text ?? hook.onError,
      choose: (seen, call) =>
        call.fetched?.missing?.mode ??
        (failureMode === undefined ? hook.onError : failureMode.choose(seen, call)),
    },
  };
}

const NONE: ReadonlyMap<string, Json> = new Map();

/** The strictest word of those that are not there counts; `null` is the hook's own. */
const STRICTNESS: readonly (Hook['onError'] | null)[] = ['block', null, 'allow'];

async function readAll(
  call: HookCall,
  tables: readonly LayerTable[],
  source: TableSource,
  strictRank: number | null,
): Promise<FetchedTables> {
  const found = new Map<string, Json>();
  const notes: string[] = [];
  const missing: { why: string; mode: Hook['onError'] | null }[] = [];
  for (const each of tables) {
    const { table } = each;
    const key = keyOf(table, call);
    try {
      const content = await contentOf(call, each, key, source);
      found.set(table.name, tableValue(content, each));
      if (content.note !== undefined) notes.push(content.note);
    } catch (thrown) {
      const why = `the table ${table.name} is not available: ${(thrown as Error).message}`;
      missing.push({ why, mode: modeOf(each, key, strictRank) });
    }
  }
  if (missing.length === 0) return { tables: found, notes, missing: null };
  const [worst] = missing.sort((a, b) => STRICTNESS.indexOf(a.mode) - STRICTNESS.indexOf(b.mode));
  return { tables: NONE, notes, missing: worst! };
}

/** Undefined if the table is kept by something that this actor does not have. */
function keyOf({ key }: RemoteTable, { who }: HookCall): string | null | undefined {
  if (key === null) return null;
  const value = who.actor?.[key];
  return typeof value === 'string' ? value : undefined;
}

function contentOf(
  call: HookCall,
  { table, schema, domains }: LayerTable,
  key: string | null | undefined,
  source: TableSource,
): Promise<Content> {
  if (table.problem !== undefined) throw new Error(table.problem);
  if (key === undefined) throw new Error(`it is looked up by ${table.key}, which the actor does not have`);
  // In a path these are steps, however they are written.
  if (key === '.' || key === '..')
    throw new Error(`it is looked up by ${table.key}, which "${key}" cannot be`);
  const word = wordFor(table, key);
  const staleMs = typeof word === 'number' ? word : 0;
  const request = { table, schema, domains, key, staleMs, timeoutMs: call.timeoutMs };
  const { host } = call;
  const asked: JsonObject = { ...(key !== null && { key }), table: table.name };
  return host.content?.(asked, (behind) => source.read(request, behind)) ?? source.read(request, host);
}

function modeOf(
  { table, rank }: LayerTable,
  key: string | null | undefined,
  strictRank: number | null,
): Hook['onError'] | null {
  if (table.problem !== undefined) return 'block';
  const word = wordFor(table, key ?? null);
  if (word === null) return strictRank === null ? null : 'block';
  if (word !== 'allow') return 'block';
  return strictRank !== null && rank > strictRank ? 'block' : 'allow';
}
