/**
 * `log`: lines that flow into `turn.end`. Fields given by name follow the message as `name=value`.
 */
import type { LogLevel } from '../../engine/index.ts';
import { type PositionalFn, repr, str, type Thread, type Value } from '../../starlark/index.ts';
import { CallableModule } from './callable-module.ts';
import { scriptCallOf } from './reach.ts';

const SIGNATURE = 'message, /, **fields';

type Fields = ReadonlyMap<string, Value>;

const NO_FIELDS: Fields = new Map();

/** Audit hooks log on every call, mostly a bare message: that way needs no binding of arguments. */
class LogFunction extends CallableModule<typeof SIGNATURE> {
  override readonly minArgs = 1;
  override readonly maxArgs = 1;
  override readonly direct: PositionalFn;

  constructor(name: string, level: LogLevel, members: ReadonlyMap<string, Value> = new Map()) {
    const log = (thread: Thread, message: Value, fields: Fields) => write(thread, level, message, fields);
    super(name, SIGNATURE, log, { pure: false }, members);
    this.direct = (thread, message) => {
      thread.impureCalls++;
      return write(thread, level, message!, NO_FIELDS);
    };
  }
}

function write(thread: Thread, level: LogLevel, message: Value, fields: Fields): null {
  const call = scriptCallOf(thread);
  let text = typeof message === 'string' ? message : str(message, thread);
  for (const [name, value] of fields) text += ` ${name}=${repr(value, thread)}`;
  thread.charge(text.length);
  call.log(level, text);
  return null;
}

const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error'];

export const LOG = new LogFunction(
  'log',
  'info',
  new Map(LEVELS.map((level) => [level, new LogFunction(`log.${level}`, level)])),
);
