import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hookFile } from '../../../test/support/temp-project.ts';
import type { Outcome } from '../../engine/decision.ts';
import { Engine } from '../../engine/engine.ts';
import type { Hook } from '../../engine/hook.ts';
import { RunState } from '../../engine/run-state.ts';
import { machineHost } from '../../machine/host.ts';
import { hookFromText } from './hook-from-text.ts';

const WORDS = ['run', 'rm', 'ru', 'path', ''] as const;
const text = fc.constantFrom(...WORDS).map((word) => JSON.stringify(word));
const key = fc.constantFrom('"path"', '"mode"', '"run"');
const args = fc.constantFrom('payload["args"]', 'payload.get("args")', 'payload.get("args", {})');
const argument = fc.oneof(
  fc.tuple(args, key).map(([of, name]) => `${of}[${name}]`),
  fc.tuple(args, key).map(([of, name]) => `${of}.get(${name})`),
  fc
    .tuple(args, key, fc.oneof(text, fc.constantFrom('None', '3')))
    .map(([of, name, or]) => `${of}.get(${name}, ${or})`),
);
const read = fc.oneof(
  { weight: 2, arbitrary: argument },
  fc.constantFrom('payload["name"]', 'payload.get("name")', 'payload.get("missing")', 'payload["missing"]'),
);
const plain = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(read, text).map(([a, b]) => `${a} == ${b}`) },
  fc.tuple(read, text).map(([a, b]) => `${b} == ${a}`),
  fc.tuple(read, fc.oneof(text, fc.constantFrom('None', '1'))).map(([a, b]) => `${a} != ${b}`),
  fc
    .tuple(read, fc.array(fc.oneof(text, fc.constant('1')), { maxLength: 3 }))
    .map(([a, b]) => `${a} in [${b}]`),
  fc.tuple(read, text).map(([a, b]) => `${a}.startswith(${b})`),
  fc.tuple(read, text, text).map(([a, b, c]) => `${a}.endswith((${b}, ${c}))`),
  fc.tuple(key, args).map(([a, b]) => `${a} in ${b}`),
  fc.tuple(key, args).map(([a, b]) => `${a} not in ${b}`),
  fc.constantFrom('True', 'payload["args"] == "run"', 'len(payload["args"]) > 1'),
);
const condition = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    plain,
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) and (${b})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}) or (${b})`),
    tie('any').map((a) => `not (${a})`),
  ),
})).any;

const held = fc.oneof(fc.constantFrom<unknown>(...WORDS), fc.constantFrom<unknown>(1, null, [], {}, true));
const call = fc.record({
  name: fc.constantFrom('run', 'rm', 'path'),
  args: fc.dictionary(fc.constantFrom('path', 'mode', 'run', 'other', '__proto__'), held),
});

const BODIES = [
  'allow()',
  'allow()',
  'block("no")',
  'modify({"args": {"path": "rm"}})',
  'modify({"name": "rm"})',
];

async function hookOf(when: string, body: string, at: number): Promise<Hook> {
  const script = `def handle(event, payload):\n    return ${body}`;
  const { hooks } = await hookFromText(
    `h${at}.md`,
    hookFile(script, `event: tool.pre\npriority: ${at}\nwhen: ${JSON.stringify(when)}`),
  );
  return hooks[0]!;
}

function withoutIndex(hook: Hook): Hook {
  if (hook.condition === null) return hook;
  const { indexable: _, ...condition } = hook.condition;
  return { ...hook, condition };
}

function said(hooks: readonly Hook[], payload: Parameters<Engine['decide']>[1]): unknown {
  const engine = new Engine({ hooks, host: machineHost, run: new RunState() });
  const { trace, ...rest } = JSON.parse(
    JSON.stringify(engine.decide<string>('tool.pre', payload)),
  ) as Outcome;
  return { ...rest, trace: trace.map(({ ms: _, ...entry }) => entry) };
}

const TOOLS = ['Bash', 'run_command', 'shell', 'NotebookEdit', 'edit_file', 'Ba', 'send', 'mcp__x__y', ''];
const tool = fc.constantFrom(...TOOLS).map((name) => JSON.stringify(name));
const toolRead = fc.constantFrom('payload["name"]', 'payload.get("name")', 'payload.get("name", "Bash")');
const aboutTool = fc.oneof(
  fc.tuple(toolRead, fc.constantFrom('==', '!='), tool).map((parts) => parts.join(' ')),
  fc
    .tuple(toolRead, fc.constantFrom('in', 'not in'), fc.array(tool, { maxLength: 3 }))
    .map(([a, op, list]) => `${a} ${op} [${list}]`),
  fc.tuple(tool, toolRead).map(([a, b]) => `${a} in ${b}`),
  fc.tuple(toolRead, fc.constantFrom('startswith', 'endswith'), tool).map(([a, op, b]) => `${a}.${op}(${b})`),
  fc.tuple(tool, toolRead).map(([a, b]) => `re.search(${a}, ${b}) != None`),
);
const toolCondition = fc.oneof(
  aboutTool,
  fc.tuple(aboutTool, aboutTool).map(([a, b]) => `${a} and ${b}`),
  fc.tuple(aboutTool, aboutTool).map(([a, b]) => `${a} or ${b}`),
  fc.tuple(aboutTool, plain).map(([a, b]) => `${a} and ${b}`),
);
/** Calls of agents, of which the payload has the agent's own name, and calls of a policy's tools. */
const toolCall = fc.oneof(
  fc.record({ name: fc.constantFrom(...TOOLS.slice(0, -1)), args: fc.constant({}) }),
  fc
    .record({
      name: fc.constantFrom('run_command', 'edit_file', 'mcp__x__y'),
      own: fc.constantFrom(...TOOLS),
    })
    .map(({ name, own }) => ({ name, args: {}, native: { name: own } })),
);

describe('a chain of conditions', () => {
  it('says the same whether an index or each condition is asked, by every name of a tool', async () => {
    let indexed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(toolCondition, fc.constantFrom(...BODIES)), { minLength: 1, maxLength: 6 }),
        fc.array(toolCall, { minLength: 6, maxLength: 6 }),
        async (sketches, calls) => {
          const hooks = await Promise.all(sketches.map(([when, body], at) => hookOf(when, body, at)));
          if (hooks.some(({ condition: c }) => c?.indexable?.key === 'name')) indexed++;
          for (const each of calls) {
            const payload = { id: '1', ...each } as never;
            expect(said(hooks, payload)).toEqual(said(hooks.map(withoutIndex), payload));
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(indexed).toBeGreaterThan(0);
  });

  it('says the same whether an index or each condition is asked, by name and whatever stands beside it', async () => {
    let indexed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(condition, fc.constantFrom(...BODIES)), { minLength: 1, maxLength: 6 }),
        fc.array(call, { minLength: 4, maxLength: 4 }),
        async (sketches, calls) => {
          const hooks = await Promise.all(sketches.map(([when, body], at) => hookOf(when, body, at)));
          if (hooks.some(({ condition: c }) => c?.indexable !== undefined)) indexed++;
          for (const each of calls) {
            const payload = { id: '1', ...each } as never;
            expect(said(hooks, payload)).toEqual(said(hooks.map(withoutIndex), payload));
          }
        },
      ),
      { numRuns: 60 },
    );
    // Random: how many is a matter of luck, that some are indexed is not.
    expect(indexed).toBeGreaterThan(0);
  });
});
