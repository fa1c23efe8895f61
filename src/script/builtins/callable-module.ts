/**
 * A built-in that is also a family: `log("…")` and `log.info("…")`.
 */
import {
  Builtin,
  type BuiltinFlags,
  type ParamsOf,
  parseSignature,
  type Thread,
  type Value,
} from '../../starlark/index.ts';

export class CallableModule<S extends string = string> extends Builtin {
  private readonly members: ReadonlyMap<string, Value>;

  constructor(
    name: string,
    signature: S,
    body: (thread: Thread, ...args: ParamsOf<S>) => Value,
    flags: BuiltinFlags,
    members: ReadonlyMap<string, Value>,
  ) {
    super(name, parseSignature(signature), body as (thread: Thread, ...slots: unknown[]) => Value, flags);
    this.members = members;
  }

  override attr(name: string): Value | undefined {
    return this.members.get(name);
  }

  override attrNames(): readonly string[] {
    return [...this.members.keys()];
  }
}
