/**
 * The shape of the source tree, held by a test: which folder may import which, who may touch the machine, which package
 * is used where. Each rule is a table, so that a change of direction is a change of one line here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');

/** A folder imports only from folders before it, or from itself. */
const RANKS = [
  'base',
  'machine',
  'starlark',
  'shell',
  'secrets',
  'engine',
  'flow',
  'files',
  'script',
  'frontends',
  'packs',
  'policy',
  'tape',
  'session',
  'agent',
  'terminal',
  'agents',
  'frameworks',
  'mcp',
  'launcher',
  'project',
  'run',
  'page',
  'lsp',
  'fleet',
  'hub',
  // The package's own entry points gather what is below them; only the command line stands above.
  'exports',
  'index.ts',
  'pure.ts',
  'testing.ts',
  'cli',
];

/** Names on one line share a rank. */
const STARLARK_RANKS = [
  // The tree and the bindings that hang on it are one data structure.
  'syntax resolve/binding.ts',
  'resolve',
  // Text to text: nothing runs.
  'format',
  // How a run ends and what it may use: they know nothing of the values.
  'run/errors.ts run/thread.ts',
  'values',
  'run',
  'lib',
  'compile',
  'exports',
  'index.ts',
];

/** The one place that starts programs. */
const PROCESSES = [
  'machine/process.ts',
  'machine/process-input.ts',
  'machine/process-sweep.ts',
  'machine/program-environment.ts',
  'machine/script.ts',
  'machine/typescript/',
];

/** The one place through which tools touch files: it keeps them inside the workspace. */
const WORKSPACE = 'agent/tools/workspace.ts';

/** The one file the agent itself writes, and the one it makes for hooks where it is to write none. */
const TRANSCRIPT = ['agent/record/transcript-file.ts', 'agent/record/late-transcript.ts'];

/** Reads the evaluation files of a project, and lends the tools in them an empty folder. */
const EVALUATIONS = 'agent/evals/';

/** A model service on loopback for tests of agents: the one folder that listens. */
const MODEL_SERVER = 'agent/model-server/';

/** The socket of the user's daemon. */
const DAEMON = 'launcher/';

/** MCP servers behind HTTP, and the front that their clients speak with. */
const MCP = 'mcp/';

/** The server of the page; it is bundled with the command line and no part of the library. */
const PAGE = 'page/server/';

/** The server of a fleet. */
const HUB = 'hub/';

/** What stands around programs: it looks at the machine, and its proxy is the way out of a sandbox. */
const SANDBOX = [
  'machine/walls/places.ts',
  'machine/walls/cgroup.ts',
  'machine/walls/offer.ts',
  'machine/walls/filter-file.ts',
];
const SANDBOX_PROXY = 'machine/walls/proxy.ts';

/** Writes into the configuration of other programs, at the user's word. */
const INSTALL = 'agents/';

/** Rooms of the command line: no program that embeds the library loads them. */
const COMMANDS = [
  'terminal/',
  'run/',
  'mcp/',
  'launcher/',
  'project/',
  'page/',
  'lsp/',
  'fleet/',
  'hub/',
  'cli/',
];

/** Modules that reach the machine, and the only places that may import them: a folder ends in a slash. */
const HTTP = ['machine/http.ts', 'machine/http-server.ts'];

const MACHINE: Record<string, readonly string[]> = {
  'node:fs': [
    // Random bytes of the system.
    'machine/random.ts',
    ...PROCESSES,
    WORKSPACE,
    ...TRANSCRIPT,
    EVALUATIONS,
    'machine/append-file.ts',
    'machine/case-folding.ts',
    'machine/detached-process.ts',
    'machine/file-lock.ts',
    'machine/inherited-descriptors.ts',
    'machine/own-file.ts',
    'machine/ownership.ts',
    'machine/read-at.ts',
    'machine/real-path.ts',
    'machine/this-machine.ts',
    ...SANDBOX,
    SANDBOX_PROXY,
    INSTALL,
    ...COMMANDS,
    'files/',
    'frontends/',
    'packs/',
    'policy/',
    'session/',
    'tape/',
  ],
  'node:fs/promises': [
    ...PROCESSES,
    WORKSPACE,
    'machine/append-file.ts',
    ...COMMANDS,
    'frontends/',
    'policy/',
  ],
  // The adapters only write it, into a file that an agent runs.
  'node:child_process': [
    'machine/ask-git.ts',
    'machine/process.ts',
    'machine/detached-process.ts',
    'machine/duplex-process.ts',
    'machine/foreground-process.ts',
    'agents/in-process.ts',
  ],
  'node:net': [...HTTP, SANDBOX_PROXY, DAEMON, PAGE],
  'node:dns': ['machine/http.ts'],
  'node:http': [...HTTP, SANDBOX_PROXY, MODEL_SERVER, MCP, DAEMON],
  'node:https': ['machine/http.ts', MCP],
  'node:crypto': [
    'base/',
    'machine/',
    'frontends/',
    'packs/',
    'policy/',
    'tape/',
    'agents/import/',
    ...COMMANDS,
  ],
  'node:worker_threads': ['project/backtest/'],
  // Code of the package itself; no script of a policy runs there.
  'node:vm': ['cli/bundle.ts'],
};

/** Every package beside Node itself, and where it may be used. */
const PACKAGES: Record<string, readonly string[]> = {
  yaml: ['files/'],
  'smol-toml': ['files/'],
  re2js: ['base/late-re2.ts', 'starlark/lib/', 'base/match/'],
  // Inside the chunk that `harness lsp` alone loads.
  'vscode-languageserver': ['lsp/'],
  'vscode-languageserver/node': ['cli/lsp.ts'],
  'vscode-languageserver-textdocument': ['lsp/'],
  hono: [PAGE, HUB],
  'hono/body-limit': [PAGE, HUB],
  'hono/streaming': [PAGE, HUB],
  '@hono/node-server': [PAGE, HUB],
  // Optional for users: its types; the driver is loaded only by a hub with a database.
  pg: [HUB],
  // Inside the file that only a process for a TypeScript hook loads.
  sucrase: ['machine/typescript/'],
  // Optional for users: loaded only when a model of theirs is used.
  '@anthropic-ai/sdk': ['agent/providers/'],
  openai: ['agent/providers/'],
  // Optional for users: loaded only when a project names an MCP server.
  '@modelcontextprotocol/client': ['agent/tools/mcp.ts'],
  '@modelcontextprotocol/client/stdio': ['agent/tools/mcp.ts'],
};

/** Whatever is not a function of its input comes through base/host.ts, so that a run can be replayed. */
const IMPURE: ReadonlyArray<{ pattern: RegExp; allowed: readonly string[] }> = [
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    allowed: ['machine/host.ts', 'machine/bare-host.ts', ...COMMANDS],
  },
  {
    pattern: /\bMath\.random\(|\brandomUUID\(/,
    allowed: ['machine/host.ts', 'machine/bare-host.ts', ...COMMANDS],
  },
  { pattern: /\bprocess\.env\b/, allowed: ['machine/host.ts', 'machine/process.ts', ...COMMANDS] },
  // The wall clock of a Starlark thread, and of compiling, is an outer net only; it never reaches a script's values.
  {
    pattern: /\bperformance\.now\(/,
    allowed: [
      'machine/host.ts',
      'machine/bare-host.ts',
      'machine/process.ts',
      'starlark/run/thread.ts',
      'starlark/syntax/budget.ts',
      ...COMMANDS,
    ],
  },
  { pattern: /\bfetch\(/, allowed: [] },
  // Platform regular expressions backtrack; what a policy author writes is matched by RE2.
  // Sets of paths are made of globs by this program itself, and a path is cut off before a run could cost much.
  { pattern: /\bnew RegExp\(/, allowed: [...COMMANDS, 'packs/path-sets.ts'] },
  { pattern: /\beval\(|\bnew Function\(/, allowed: ['starlark/compile/'] },
  { pattern: /\bconsole\./, allowed: [] },
];

interface Source {
  readonly path: string;
  readonly text: string;
  /** Comments blanked out, so that prose cannot break a rule. */
  readonly code: string;
  readonly imports: readonly string[];
}

const sources = readSources(SRC);

describe('architecture', () => {
  it('reads the whole source tree', () => {
    expect(sources.length).toBeGreaterThan(10);
    expect(sources.some((source) => source.imports.length > 0)).toBe(true);
  });

  it('a folder imports only from folders before it', () => {
    expect(rankViolations(RANKS, (path) => path)).toEqual([]);
  });

  it('a folder is entered through its index.ts, its door', () => {
    const past = sources.flatMap((source) =>
      source.imports
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.normalize(posix.join(posix.dirname(source.path), name)))
        .filter((target) => target.includes('/') && topOf(target) !== topOf(source.path))
        .filter((target) => target !== `${topOf(target)}/index.ts` && topOf(target) !== 'exports')
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(past).toEqual([]);
  });

  it('a door only re-exports', () => {
    const doors = sources.filter(({ path }) => /^[a-z]+\/index\.ts$/.test(path));
    expect(doors.length).toBeGreaterThan(20);
    const more = doors.filter(
      ({ code }) => code.replace(/export (?:type )?\{[^}]*\} from '\.\/[^']+';/g, '').trim() !== '',
    );
    expect(more.map(({ path }) => path)).toEqual([]);
  });

  it('inside starlark, a phase imports only from phases before it', () => {
    const inside = (path: string) => (path.startsWith('starlark/') ? path.slice('starlark/'.length) : null);
    expect(rankViolations(STARLARK_RANKS, inside)).toEqual([]);
  });

  it('every folder of the source tree has a rank', () => {
    const unknown = new Set(
      sources.map((source) => topOf(source.path)).filter((top) => !RANKS.includes(top)),
    );
    expect([...unknown]).toEqual([]);
  });

  it('only the named places reach files, processes and the network', () => {
    expect(importsOutside(MACHINE)).toEqual([]);
  });

  it('packages are used only where the table says, and no other package at all', () => {
    expect(importsOutside(PACKAGES)).toEqual([]);
    const strangers = sources.flatMap((source) =>
      source.imports
        .filter(
          (name) => !name.startsWith('.') && !name.startsWith('node:') && !Object.hasOwn(PACKAGES, name),
        )
        .map((name) => `${source.path} imports ${name}`),
    );
    expect(strangers).toEqual([]);
  });

  it('clocks, randomness, environment and generated code stay behind their one door', () => {
    const found = IMPURE.flatMap(({ pattern, allowed }) =>
      sources
        .filter((source) => !isIn(source.path, allowed) && pattern.test(source.code))
        .map((source) => `${source.path} uses ${pattern.source}`),
    );
    expect(found).toEqual([]);
  });

  it('every file opens with what it is, and none is too long to read', () => {
    const silent = sources
      .filter((source) => !/^(#!.*\n)?\/\*\*/.test(source.text))
      .map((source) => source.path);
    const long = sources
      .filter((source) => source.text.split('\n').length > 800)
      .map((source) => source.path);
    expect({ silent, long }).toEqual({ silent: [], long: [] });
  });

  it('the command line has at most 13,000 lines: it parses options and prints', () => {
    expect(linesOf('cli')).toBeLessThanOrEqual(13_000);
  });

  it('docs/architecture.md has the size of every room, at most a quarter off (npm run docs:ways)', () => {
    const page = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
    const shown = [...(/^Lines of each room.*: (.*)\.$/m.exec(page)?.[1] ?? '').matchAll(/(\w+) ([\d,]+)/g)];
    const sizes = new Map(shown.map(([, room, lines]) => [room!, Number(lines!.replaceAll(',', ''))]));
    const rooms = RANKS.filter((name) => !name.includes('.'));
    const off = rooms.filter((room) => {
      const [then, now] = [sizes.get(room) ?? 0, linesOf(room)];
      return Math.abs(then - now) > now / 4;
    });
    expect(off).toEqual([]);
    expect([...sizes.keys()].sort()).toEqual([...rooms].sort());
  });
});

function rankViolations(ranks: readonly string[], inside: (path: string) => string | null): string[] {
  const violations: string[] = [];
  for (const source of sources) {
    const from = inside(source.path);
    if (from === null) continue;
    for (const name of source.imports) {
      if (!name.startsWith('.')) continue;
      const target = posix.normalize(posix.join(posix.dirname(source.path), name));
      const to = inside(target);
      if (to === null) continue;
      const [low, high] = [rankOf(ranks, to), rankOf(ranks, from)];
      if (low > high || low === -1) violations.push(`${source.path} imports ${target}`);
    }
  }
  return violations;
}

/** A file named in the table has the rank of its own line, any other file that of its folder. */
function rankOf(ranks: readonly string[], path: string): number {
  const find = (name: string) => ranks.findIndex((line) => line.split(' ').includes(name));
  const own = find(path);
  return own === -1 ? find(topOf(path)) : own;
}

function importsOutside(table: Record<string, readonly string[]>): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((name) => Object.hasOwn(table, name) && !isIn(source.path, table[name]!))
      .map((name) => `${source.path} imports ${name}`),
  );
}

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
}

function linesOf(room: string): number {
  return sources
    .filter(({ path }) => path.startsWith(`${room}/`))
    .reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
}

function topOf(path: string): string {
  return path.split('/')[0]!;
}

/** Tests beside the sources are left out: they may reach for whatever proves their point. */
function readSources(root: string): Source[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => {
      const full = join(entry.parentPath, entry.name);
      const text = readFileSync(full, 'utf8');
      const code = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/^\s*\/\/.*$/gm, ' ');
      return { path: relative(root, full).split(sep).join('/'), text, code, imports: importsOf(code) };
    });
}

function importsOf(code: string): string[] {
  const from = /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'/g;
  const bare = /(?:^|\n)\s*import\s*'([^']+)'/g;
  const dynamic = /\bimport\(\s*'([^']+)'/g;
  return [from, bare, dynamic].flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1]!));
}
