import { describe, expect, it } from 'vitest';
import { SourceFile } from '../base/source.ts';
import { compileCondition, compileScript } from './compile-script.ts';

async function told(script: string): Promise<string> {
  const compiled = await compileScript(new SourceFile('h', script));
  return compiled.ok ? 'no mistake' : compiled.mistakes[0]!.message;
}

const inHandle = (line: string) => `def handle(event, payload):\n  ${line}\n  return allow()`;

describe('habits of other languages get what to type', () => {
  it.each([
    ['import re', 'there is no import: json, re, shell'],
    ['load("//x.star", "y")', 'comes from no policy folder and cannot load other files'],
    [
      'try:\n  pass\nexcept:\n  pass',
      'there is no try, an error cannot be caught: ask first, payload.get("key")',
    ],
    ['class A:\n  pass', 'there are no classes: use a dict'],
  ])('%s', async (script, message) => {
    expect(await told(`${script}\n${inHandle('pass')}`)).toContain(message);
  });

  it.each([
    ['x = f"{event}"', 'f-strings are not supported; use "…".format(…) or "…" % …'],
    ['raise event', 'there is no raise: write fail("why")'],
    ['while True: pass', 'there is no while: write for _ in range(100): and break out of it'],
    ['x = isinstance(event, str)', 'undefined: isinstance: write type(value) == "string"'],
    ['x = event is None', 'there is no is: write == None or != None'],
    ['x = null', 'undefined: null: write None'],
    ['if (x := event): pass', 'assign on a line of its own'],
    ['x = event ? 1 : 2', 'use a if condition else b'],
    ['event++', 'use += 1'],
    ['x = event && payload', 'use and'],
    ['x = )', "unexpected ')'"],
    ['x = *', 'want an expression'],
  ])('%s', async (line, message) => {
    expect(await told(inHandle(line))).toContain(message);
  });

  it.each([
    ['tool == "x"', 'when: undefined: tool: the tool is payload["name"]'],
    ['name == "x"', 'when: undefined: name: write payload["name"]'],
    ['args["x"] == 1', 'when: undefined: args: write payload["args"]'],
    ['payload["x"] is None', 'when: there is no is: write == None or != None'],
    ['nmae == 1', 'when: undefined: nmae'],
  ])('when: %s', (text, message) => {
    const compiled = compileCondition(new SourceFile('h', text), 'when');
    expect(compiled.ok ? '' : compiled.mistakes[0]!.message).toBe(message);
  });
});
