/**
 * `harness-hooks/pure` where there is no Node: bundled for browsers, and run in a context that has what every browser and
 * every edge runtime has, and nothing of Node.
 */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { PURE_BUILD } from '../../scripts/build-pure.mjs';
import type * as Pure from '../../src/pure.ts';

const PLATFORM = {
  AbortController,
  AbortSignal,
  DOMException,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  crypto: globalThis.crypto,
  performance,
  setTimeout,
};
const GUARD = readFileSync(
  new URL('../../src/cli/init/templates/hooks/command_guard.md', import.meta.url),
  'utf8',
);

let text = '';
let imports: string[] = [];

beforeAll(async () => {
  const built = await build({
    ...PURE_BUILD,
    format: 'iife',
    globalName: 'pure',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  text = built.outputFiles[0]!.text;
  imports = Object.values(built.metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
});

function load(): typeof Pure {
  return runInContext(`${text};pure`, createContext({ ...PLATFORM })) as typeof Pure;
}

/** What a program in such a place would write: everything happens inside. */
async function decide(hook: string, command: string): Promise<Record<string, unknown>> {
  const context = createContext({ ...PLATFORM, hook, command });
  const program = `${text};(async () => {
    const { hooks, problems } = await pure.hookFromText('command_guard.md', hook);
    const engine = new pure.Engine({ hooks, host: pure.bareHost, run: new pure.RunState() });
    const outcome = await engine.decide('tool.pre', { id: '1', name: 'run_command', args: { command } });
    return JSON.stringify({ action: outcome.action, hook: outcome.hook, problems });
  })()`;
  return JSON.parse(await runInContext(program, context)) as Record<string, unknown>;
}

describe('harness-hooks/pure', () => {
  it('is one file without an import, and loads no module of Node', () => {
    expect(imports).toEqual([]);
    expect(text).not.toMatch(/(?:import|from|require|getBuiltinModule)[ (]*["'`]node:/);
    expect(text.length).toBeLessThan(1_200_000);
  });

  it('decides with a hook given as text', async () => {
    expect(await decide(GUARD, 'rm -rf /')).toEqual({ action: 'block', hook: 'command_guard', problems: [] });
    expect(await decide(GUARD, 'ls')).toEqual({ action: 'allow', hook: null, problems: [] });
  });

  it('blocks with a hook that cannot be loaded, and says what is wrong with it', async () => {
    const broken = GUARD.replace('def ', 'deff ');
    expect(await decide(broken, 'ls')).toMatchObject({
      action: 'block',
      hook: 'command_guard',
      problems: [{ severity: 'error' }],
    });
    expect(await decide('no front matter', 'ls')).toMatchObject({ action: 'block' });
  });

  it('has what a script may use: digests, base64, patterns, JSON, YAML of any form', async () => {
    const hook = `---
# a comment, an anchor and a flow map are more than the plain reader takes
event: &e tool.pre
priority: 10
script: |
  def handle(event, payload):
      said = [
          hash.sha256("abc"),
          base64.decode(base64.encode("hé")),
          re.search("b+", "abbc").text,
          json.encode({"a": [1]}),
          str(b"a" < b"b"),
      ]
      return block(" ".join(said))
tests: []
---
`;
    const { hookFromText, Engine, RunState, bareHost } = load();
    const { hooks, problems } = await hookFromText('all.md', hook);
    expect(JSON.parse(JSON.stringify(problems))).toEqual([]);
    const engine = new Engine({ hooks, host: bareHost, run: new RunState() });
    const { reason } = await engine.decide('tool.pre', { name: 'x', args: {} });
    expect(reason).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad hé bb {"a":[1]} True',
    );
  });

  it('has no machine to reach', async () => {
    const { bareHost } = load();
    expect(bareHost.env('HOME')).toBeUndefined();
    await expect(bareHost.run({} as never, null)).rejects.toThrow('this host has no programs');
    expect(bareHost.uuid()).toMatch(/^[0-9a-f-]{36}$/);
  });
});
