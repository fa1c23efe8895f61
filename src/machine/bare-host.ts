/**
 * A host for where there is no machine to reach, such as a browser or an edge function: clocks and ids of the platform, an
 * empty environment, and a refusal for network, programs and files. A program that can reach them brings its own:
 * `{ ...bareHost, http: … }`.
 */
import type { Host } from './host.ts';

export const bareHost: Host = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  uuid: () => globalThis.crypto.randomUUID(),
  env: () => undefined,
  variables: () => ({}),
  http: () => absent('network'),
  run: () => absent('programs'),
  appendFile: () => absent('files'),
};

function absent(what: string): Promise<never> {
  return Promise.reject(new Error(`this host has no ${what}`));
}
