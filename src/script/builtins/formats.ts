/**
 * `url` and `validate`: what an address consists of, and whether a text is one, or an e-mail address, or JSON. Pure functions of text.
 */
import {
  builtin,
  isJsonText,
  Module,
  type Thread,
  type Value,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';

/** What a character takes: three bytes of UTF-8, each with a `%` and two digits, and those bytes on the way. */
const ENCODED = 12;

function read(thread: Thread, name: string, given: Value): string {
  const text = wantString(name, 's', given);
  thread.spend(1 + (text.length >> 4));
  thread.charge(ENCODED * text.length);
  return text;
}

/** One part of an address, and a domain with a dot: what mail on the internet looks like, not all that its grammar allows. */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}$/;

export const URLS = new Module(
  'url',
  new Map<string, Value>([
    ['encode', builtin('url.encode', 's', (thread, s) => encodeURIComponent(read(thread, 'url.encode', s)))],
    ['parse', builtin('url.parse', 's', (thread, s) => wrapJson(parts(read(thread, 'url.parse', s))))],
  ]),
);

export const VALIDATE = new Module(
  'validate',
  new Map<string, Value>([
    ['email', builtin('validate.email', 's', (thread, s) => EMAIL.test(read(thread, 'validate.email', s)))],
    [
      'url',
      builtin('validate.url', 's', (thread, s) => {
        return (addressOf(read(thread, 'validate.url', s))?.hostname ?? '') !== '';
      }),
    ],
    [
      'json',
      builtin('validate.json', 's', (thread, s) => isJsonText(thread, wantString('validate.json', 's', s))),
    ],
  ]),
);

/** All empty where it is no address: a guard compares and is not ended by it. */
function parts(text: string) {
  const {
    protocol = '',
    hostname = '',
    port = '',
    pathname = '',
    search = '',
    hash = '',
    username = '',
  } = addressOf(text) ?? {};
  return {
    scheme: protocol.replace(/:$/, ''),
    host: hostname,
    port,
    path: pathname,
    query: search.slice(1),
    fragment: hash.slice(1),
    user: username,
  };
}

function addressOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
