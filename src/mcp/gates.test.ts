/** The table of methods: every one of both eras stands in it, as the packages that speak the protocol know them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_METHODS, gateOf, SERVER_METHODS } from './gates.ts';
import { INTRODUCTIONS, LISTS } from './offers.ts';

const PACKAGES = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');

/** Methods that the schemas of the packages have. */
function methodsOfPackages(): Set<string> {
  const texts = ['client', 'core', 'server'].flatMap((name) => {
    const dist = join(PACKAGES, name, 'dist');
    return readdirSync(dist)
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => readFileSync(join(dist, file), 'utf8'));
  });
  const schemas = texts.flatMap((text) => [...text.matchAll(/\bmethod:\s*(?:\w+\.)*literal\("([\w/]+)"\)/g)]);
  return new Set(schemas.map(([, method]) => method!));
}

describe('the table of methods', () => {
  it('has every method of the protocol that its packages know, of both eras', () => {
    const known = methodsOfPackages();
    expect(known.size).toBeGreaterThan(30);
    expect([...known]).toEqual(
      expect.arrayContaining(['initialize', 'server/discover', 'subscriptions/listen', 'tasks/get']),
    );
    const named = new Set([...Object.keys(CLIENT_METHODS), ...Object.keys(SERVER_METHODS)]);
    expect([...known].filter((method) => !named.has(method))).toEqual([]);
  });

  it('judges whatever runs, reads or asks a person or a model, and says so of each', () => {
    const gated = (methods: typeof CLIENT_METHODS) =>
      Object.keys(methods).filter((method) => gateOf(methods, method) !== null);
    expect(gated(CLIENT_METHODS)).toEqual([
      'tools/call',
      'resources/read',
      'resources/directory/read',
      'prompts/get',
      'skills/get',
    ]);
    expect(gated(SERVER_METHODS)).toEqual(['sampling/createMessage', 'elicitation/create']);
    // Their answers are judged.
    for (const method of [...Object.keys(LISTS), ...INTRODUCTIONS])
      expect(gateOf(CLIENT_METHODS, method)).toBeNull();
  });

  it('passes nothing that it does not have, by whatever name', () => {
    const names = ['vendor/run', '__proto__', 'constructor', 'toString', 'TOOLS/CALL', 'tools/call ', ''];
    for (const method of names)
      for (const methods of [CLIENT_METHODS, SERVER_METHODS])
        expect(gateOf(methods, method)).toMatchObject({ isUnknown: true });
    // What one side may send, the other may not.
    expect(gateOf(SERVER_METHODS, 'tools/call')).toMatchObject({ isUnknown: true });
    expect(gateOf(CLIENT_METHODS, 'sampling/createMessage')).toMatchObject({ isUnknown: true });
  });
});
