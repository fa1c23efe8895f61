/**
 * The `json` module: `encode`, `encode_indent`, `decode` and `indent`.
 */
import { fail } from '../run/errors.ts';
import { builtin } from '../run/signature.ts';
import type { Thread } from '../run/thread.ts';
import { wantString } from '../run/want.ts';
import { Module } from '../values/struct.ts';
import type { Value } from '../values/value.ts';
import { decodeJson, JsonSyntaxError } from './json-decode.ts';
import { encodeJson } from './json-encode.ts';
import { indentJson } from './json-indent.ts';

/** What `attempt` returns, or what `otherwise` makes of the text not being JSON. Limits are never caught. */
function orSyntaxError(attempt: () => Value, otherwise: (error: JsonSyntaxError) => Value): Value {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return otherwise(error);
    throw error;
  }
}

/** Whether `json.decode` reads the text, at its cost and within its bounds. */
export function isJsonText(thread: Thread, text: string): boolean {
  return orSyntaxError(
    () => {
      decodeJson(thread, text);
      return true;
    },
    () => false,
  ) as boolean;
}

const encode = builtin('json.encode', 'x, /', (thread, x) => encodeJson(thread, 'json.encode', x));

const encodeIndent = builtin(
  'json.encode_indent',
  'x, /, *, prefix="", indent="\t"',
  (thread, x, prefix, indent) => {
    const text = encodeJson(thread, 'json.encode_indent', x);
    return layOut(thread, 'json.encode_indent', text, prefix, indent);
  },
);

const indent = builtin('json.indent', 'str, /, *, prefix="", indent="\t"', (thread, str, prefix, indent) => {
  const text = wantString('json.indent', 'str', str);
  return orSyntaxError(
    () => {
      decodeJson(thread, text);
      return layOut(thread, 'json.indent', text, prefix, indent);
    },
    (error) => fail(`json.indent: invalid character at offset ${error.offset}: ${error.message}`),
  );
});

function layOut(thread: Thread, name: string, text: string, prefix: Value, indent: Value): Value {
  return indentJson(thread, text, wantString(name, 'prefix', prefix), wantString(name, 'indent', indent));
}

const decode = builtin('json.decode', 'x, /, default?', (thread, x, otherwise) => {
  const text = wantString('json.decode', 'x', x);
  return orSyntaxError(
    () => decodeJson(thread, text),
    (error) =>
      otherwise === undefined ? fail(`json.decode: at offset ${error.offset}, ${error.message}`) : otherwise,
  );
});

export const JSON_MODULE = new Module(
  'json',
  new Map<string, Value>([
    ['decode', decode],
    ['encode', encode],
    ['encode_indent', encodeIndent],
    ['indent', indent],
  ]),
);
