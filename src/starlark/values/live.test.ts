import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../base/source.ts';
import { compile, compileExpression, Live, Thread, toJson, type Value } from '../index.ts';
import { call } from '../run/call.ts';

const asked: number[] = [];
const WHO = new Live('who', ({ host }) => {
  asked.push(1);
  return (host as { who: Value }).who;
});
const ENVIRONMENT = new Map<string, Value>([['who', WHO]]);

const source = (text: string) => new SourceFile('t.star', text);
const threadFor = (who: Value) => new Thread({ host: { who } });

function programOf(text: string) {
  const compiled = compile(source(text), { environment: ENVIRONMENT });
  if (!compiled.ok) throw new Error(compiled.errors[0]!.message);
  return compiled.program;
}

describe('a live name', () => {
  it('is asked of the run each time it is read, wherever it stands', async () => {
    const program = programOf(
      'def f():\n    def g(x=1):\n        return who\n    return [who, g(), [who for _ in range(2)], who == who, "%s" % who, not who]\n',
    );
    for (const who of ['a', 'b', 0]) {
      const thread = threadFor(who);
      const module = await program.run(thread);
      const said = toJson(await call(thread, module.globals.get('f') as never, []));
      expect(said).toEqual([who, who, [who, who], true, String(who), who === 0]);
    }
  });

  it('keeps a top level that reads it from being taken for a function of nothing', async () => {
    const program = programOf('X = who\n');
    expect((await program.run(threadFor(1))).pure).toBe(false);
    expect((await programOf('def f():\n    return who\n').run(threadFor(1))).pure).toBe(true);
  });

  it('is nothing special where a script binds the name itself', async () => {
    asked.length = 0;
    const program = programOf(
      'def f(who):\n    return who\ndef g():\n    who = 2\n    return who\nR = [f(1), g()]\n',
    );
    const module = await program.run(threadFor('x'));
    expect(toJson(module.globals.get('R')!)).toEqual([1, 2]);
    expect(asked).toEqual([]);
  });

  it('is one in expressions too', () => {
    const compiled = compileExpression(source('who == x'), ['x'], { environment: ENVIRONMENT });
    if (!compiled.ok) throw new Error('want a program');
    expect(compiled.program.evaluate(threadFor('a'), ['a'])).toBe(true);
    expect(compiled.program.evaluate(threadFor('b'), ['a'])).toBe(false);
  });
});
