/**
 * What is typed line by line, with the built-ins of a hook and a payload. Every input runs after all that were accepted before it, in a
 * fresh scope and a machine that stands still, so that nothing is left behind and nothing leaves: the clock is fixed, no address
 * answers, no program starts.
 */
import { type Json, SourceFile } from '../../base/index.ts';
import { Engine, type Hook, type HookCall, RunState } from '../../engine/index.ts';
import { DEFAULT_TIMEOUT_MS } from '../../files/index.ts';
import { markdownFrontEnd } from '../../frontends/index.ts';
import { DEFAULT_CASE, frozenHost, type Policy } from '../../policy/index.ts';
import { HOOK_BUILTINS, inPlainWords, limitsFor, moduleIn } from '../../script/index.ts';
import {
  compile,
  parse,
  parseExpression,
  repr,
  StarlarkError,
  Thread,
  type Value,
  wrapJson,
} from '../../starlark/index.ts';

export type Answer =
  | { readonly ok: true; readonly printed: readonly string[]; readonly shows: string | null }
  | { readonly ok: false; readonly printed: readonly string[]; readonly message: string };

const RESULT = 'result__of__input';

export class Session {
  readonly event: string;
  readonly payload: Json;
  private readonly policy: Policy;
  private readonly accepted: string[] = [];
  /** Lines that the accepted inputs print: they are not shown again. */
  private printed = 0;

  constructor(policy: Policy, event: string, payload: Json) {
    this.policy = policy;
    this.event = event;
    this.payload = payload;
  }

  /** Everything that was accepted, for completion. */
  get text(): string {
    return this.accepted.join('\n');
  }

  async evaluate(input: string): Promise<Answer> {
    const isExpression = parseExpression(new SourceFile('input', input.trim())).expr !== null;
    const last = isExpression ? `${RESULT} = (\n${input.trim()}\n)` : input;
    const lines: string[] = [];
    const ran = await this.run([...this.accepted, last].join('\n'), (text) => lines.push(text));
    const printed = lines.slice(this.printed);
    if ('message' in ran) return { ok: false, printed, message: ran.message };
    this.printed = lines.length;
    this.accepted.push(isExpression ? `_ = (\n${input.trim()}\n)` : input);
    const value = ran.globals.get(RESULT);
    const shows = !isExpression || value === undefined || value === null ? null : repr(value);
    return { ok: true, printed, shows };
  }

  private async run(
    text: string,
    print: (text: string) => void,
  ): Promise<{ readonly globals: ReadonlyMap<string, Value> } | { readonly message: string }> {
    const library = this.policy.layers.findLast(({ project }) => project.library !== null)?.project.library;
    const compiled = compile(new SourceFile('<input>', text), {
      environment: new Map<string, Value>([
        ...HOOK_BUILTINS,
        ['event', this.event],
        ['payload', wrapJson(this.payload) as Value],
      ]),
      dialect: { globalReassign: true, topLevelControl: true },
      ...(library != null && { load: (path: string) => moduleIn(library.find(path)) }),
    });
    if (!compiled.ok) return { message: inPlainWords(compiled.errors[0]!.message, 'hook') };
    let globals: ReadonlyMap<string, Value> = new Map();
    let failed: StarlarkError | null = null;
    const body = async (_seen: unknown, call: HookCall) => {
      const thread = new Thread({ limits: limitsFor(call.timeoutMs), host: call, print });
      try {
        globals = (await compiled.program.run(thread)).globals;
      } catch (error) {
        if (!(error instanceof StarlarkError)) throw error;
        failed = error;
      }
      return null;
    };
    const host = frozenHost(STILL);
    const engine = new Engine({ hooks: [this.hook(body)], host, run: new RunState() });
    await engine.decide(this.event, this.payload);
    const error = failed as StarlarkError | null;
    return error === null ? { globals } : { message: error.message };
  }

  private hook(body: Hook['body']): Hook {
    const layer = this.policy.hooks.findLast((each) => each.frontEnd === markdownFrontEnd)?.layer;
    return {
      name: 'input',
      event: this.event,
      priority: 0,
      source: '<input>',
      position: 0,
      frontEnd: markdownFrontEnd,
      origin: 'project',
      ...(layer !== undefined && { layer }),
      mode: 'enforce',
      onError: 'allow',
      onWhenError: 'skip',
      timeoutMs: DEFAULT_TIMEOUT_MS,
      condition: null,
      body,
    };
  }
}

const STILL = { ...DEFAULT_CASE, name: '', source: '', dir: '', line: 0 };

/** Lines as they come, put together to inputs: a block goes on until an empty line, or one that is not part of it. */
export class Inputs {
  private lines: string[] = [];

  get open(): boolean {
    return this.lines.length > 0;
  }

  clear(): void {
    this.lines = [];
  }

  /** What is complete with this line; null stands for the end. */
  take(line: string | null): string[] {
    const done: string[] = [];
    if (this.open && (line === null || this.endsBlock(line))) done.push(this.give());
    if (line === null || (!this.open && line.trim() === '')) return done;
    this.lines.push(line);
    if (!this.goesOn()) done.push(this.give());
    return done;
  }

  private give(): string {
    const text = this.lines.join('\n');
    this.lines = [];
    return text;
  }

  private get isBlock(): boolean {
    return /^(?:def|if|for|while)\b[^#]*:\s*(?:#.*)?$/.test(this.lines[0] ?? '');
  }

  private endsBlock(line: string): boolean {
    if (!this.isBlock) return false;
    return line.trim() === '' || /^(?!\s|#|el(?:se|if)\b|[)\]}])/.test(line);
  }

  /** Whether more is to come: a block, an open bracket, a text over lines. */
  private goesOn(): boolean {
    if (this.isBlock) return true;
    const { errors } = parse(new SourceFile('input', this.lines.join('\n')));
    return errors.some(({ message }) =>
      /got end of file|unexpected EOF|not terminated|unclosed/i.test(message),
    );
  }
}
