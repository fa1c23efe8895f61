/**
 * A capability: something a policy folder asks for that reaches beyond the sandbox. Front ends only list capabilities, as data; whether
 * they hold is decided when a policy is opened. Two lists with the same digest ask for the same.
 */
import { canonicalJson, lateCrypto } from '../base/index.ts';

/** Each kind, as the list that a person judges calls one and several of them. */
export const CAPABILITY_KINDS = {
  program: ['program that a hook runs', 'programs that hooks run'],
  module: ['module that is loaded into this process', 'modules that are loaded into this process'],
  tool: ['tool that reaches beyond the folder', 'tools that reach beyond the folder'],
  server: ['MCP server', 'MCP servers'],
  model: ['model with an address or key of its own', 'models with an address or key of their own'],
  address: ['address that data is sent to', 'addresses that data is sent to'],
  variable: ['variable of your environment', 'variables of your environment'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

export type CapabilityKind = keyof typeof CAPABILITY_KINDS;

export interface Capability {
  readonly kind: CapabilityKind;
  /** What a person judges: the command line, the path of the module, the address. All of it counts for the digest. */
  readonly what: string;
  /** The tool, server or model it belongs to, for a host that has to leave it out. */
  readonly name?: string;
  /** Where it is written: `.harness/settings.json:4`. Not part of the digest: a moved line asks for nothing new. */
  readonly source: string;
  /** What else is agreed to, such as the script of a tool; too long to be shown. */
  readonly text?: string;
  /** Absolute: the folder that `files` are in. Not part of the digest. */
  readonly root: string;
  /** A part of the command line that names a script and is only known when it runs: nobody can agree to that. */
  readonly unknown?: string;
  /** What it runs from that folder, by path in it: SHA-256 of each file. */
  readonly files: Readonly<Record<string, string>>;
}

/** Of a list of capabilities, in whatever order they were found. Paths are relative: a copy of the folder has the same digest. */
export function capabilitiesDigest(capabilities: readonly Capability[]): string {
  const texts = capabilities.map(({ kind, what, name = null, text = null, files }) =>
    canonicalJson({ files, kind, name, text, what }),
  );
  return lateCrypto()
    .createHash('sha256')
    .update([...new Set(texts)].sort().join('\n'))
    .digest('hex');
}
