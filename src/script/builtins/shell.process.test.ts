import { describe, expect, it } from 'vitest';
import { decideScript } from '../../../test/support/temp-project.ts';
import { type List, Thread } from '../../starlark/index.ts';
import { BUILTIN_EXAMPLES, COMMAND_FIELD_DOCS, EFFECT_FIELD_DOCS } from '../builtin-examples.ts';
import { PATH, SECRETS, SHELL } from './shell.ts';
import { ShellCommandValue, ShellEffectValue, ShellReading } from './shell-values.ts';

/** The value of an expression in `handle`, by way of `repr`. */
async function value(expression: string, args: Record<string, string> = {}): Promise<string> {
  const { outcome } = await decideScript(
    `def handle(event, payload):\n    args = payload["args"]\n    return block(repr(${expression}))`,
    { payload: { id: '1', name: 'x', args } },
  );
  const failure = outcome.trace[0]?.failure;
  if (failure) throw new Error(failure.message);
  return String(outcome.reason);
}

function parse(text: string, thread = new Thread()): ShellReading {
  const made = (SHELL.attr('parse') as unknown as { direct: (...args: unknown[]) => unknown }).direct(
    thread,
    text,
  );
  if (!(made instanceof ShellReading)) throw new Error('not a reading');
  return made;
}

describe('shell, path and secrets in a hook', () => {
  it.each(BUILTIN_EXAMPLES.map(({ expression, shows }) => [expression, shows]))(
    '%s is %s',
    async (text, shows) => {
      expect(await value(text)).toBe(shows);
    },
  );

  it('has every field that the reference names, and names every field', () => {
    const reading = parse('ls');
    const [command] = reading.reading.commands;
    const names = reading.of(command!).attrNames();
    const told = COMMAND_FIELD_DOCS.map(([name]) => name.replace(/\(.*/, ''));
    expect([...names].sort()).toEqual([...told].sort());
    for (const name of names) expect(reading.of(command!).attr(name, new Thread()), name).not.toBeUndefined();
  });

  it('has every field of an effect that the reference names, and names every field', () => {
    const list = parse('rm -rf ~/x').attr('effects', new Thread()) as List;
    const [effect] = [...list.items];
    if (!(effect instanceof ShellEffectValue)) throw new Error('not an effect');
    const told = EFFECT_FIELD_DOCS.map(([name]) => name.replace(/\(.*/, ''));
    expect([...effect.attrNames()].sort()).toEqual([...told].sort());
    for (const name of effect.attrNames()) expect(effect.attr(name, new Thread()), name).not.toBeUndefined();
  });

  it('judges zones by the folders that it is given', async () => {
    const zone = (rest: string) =>
      value(`shell.parse("rm /work/app/x ../y"${rest}).effects[0].paths[0].zone`);
    expect(await zone('')).toBe('"system"');
    expect(await zone(', cwd="/work/app"')).toBe('"workspace"');
    expect(await value('shell.parse("rm ../y", cwd="/work/app").effects[0].paths[0].zone')).toBe('"system"');
    expect(
      await value('shell.parse("rm ../y", cwd="/work/app", workspace="/work").effects[0].paths[0].zone'),
    ).toBe('"workspace"');
  });

  it('refuses a zone that does not exist', async () => {
    await expect(value('shell.parse("rm x").effects[0].touches("hme")')).rejects.toThrow('did you mean home');
  });

  it('[C067] cannot be changed by a script', async () => {
    await expect(value('shell.parse("a b").commands.append(1)')).rejects.toThrow('frozen');
    await expect(value('shell.parse("a b").commands[0].args.append("c")')).rejects.toThrow('frozen');
    await expect(value('shell.parse("a b", "sh").commands[0].nothing')).rejects.toThrow('has no .nothing');
  });

  it('can be used in a condition', async () => {
    const hook = 'def handle(event, payload):\n    return block("no")';
    const when = `when: 'any([c.program == "rm" for c in shell.parse(payload["args"].get("command", "")).commands])'`;
    const decide = async (command: string) =>
      (await decideScript(hook, { fields: when, payload: { id: '1', name: 'x', args: { command } } })).outcome
        .action;
    expect(await decide('nice rm x')).toBe('block');
    expect(await decide('echo rm x')).toBe('allow');
  });

  it.each([
    ['nothing', ''],
    ['an open quote', '"'],
    ['a NUL', 'ls \0 x'],
    ['half a character', 'ls \ud800'],
    ['text that turns around', 'ls \u202e x'],
    ['many substitutions', '$('.repeat(100_000)],
    ['many quotes', '"'.repeat(300_001)],
    ['many commands', 'a;'.repeat(200_000)],
    ['a long word', 'x'.repeat(2_000_000)],
  ])('never raises for %s', async (_title, text) => {
    const shown = await value('[type(shell.parse(args["t"]).commands), type(secrets.redact(args["t"]))]', {
      t: text,
    });
    expect(shown).toBe('["list", "string"]');
  });

  it('says that a shell nobody can read was not read', async () => {
    expect(await value('shell.parse("rm x", shell="fish").complete')).toBe('False');
    expect(await value('shell.parse("rm x", "fish").errors[0].kind')).toBe('"shell"');
  });

  it('costs the same whether a text was read before or not, and more for a longer one', () => {
    const cost = (text: string) => {
      const thread = new Thread();
      parse(text, thread).attr('commands', thread);
      return [thread.steps, thread.memory];
    };
    const text = `ls never-read-before; ${'b;'.repeat(50)}`;
    expect(cost(text)).toEqual(cost(text));
    const [short, long] = [cost('b;'.repeat(100)), cost('b;'.repeat(1000))];
    expect(long[0]! / short[0]!).toBeGreaterThan(8);
    expect(long[1]! / short[1]!).toBeGreaterThan(8);
  });

  it('is bounded by the limits of the script', async () => {
    await expect(value('[shell.parse("a;" * 5000) for i in range(100)]')).rejects.toThrow('limit');
    await expect(value('[path.match("a*" * 5000, "*b" * 5000) for i in range(100)]')).rejects.toThrow(
      'limit',
    );
    await expect(value('[secrets.redact("x" * 1000000) for i in range(400)]')).rejects.toThrow('limit');
  });

  it('is three modules of pure functions', () => {
    for (const module of [SHELL, PATH, SECRETS]) {
      for (const name of module.attrNames())
        expect(module.attr(name)).toMatchObject({ pure: true, async: false });
    }
    expect(ShellCommandValue).toBeDefined();
  });
});
