/**
 * Whether a call would put another program in the place of Harness: a package manager that is told to install, remove or link the
 * package by name, a change of its entry in a manifest or a lockfile. What installs a project as it is written down, such as `npm ci`, is ordinary work.
 */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { pathArguments } from '../engine/index.ts';
import type { Command } from '../shell/index.ts';

const PACKAGE = 'harness-hooks';
const FOR_A_PERSON = `${PACKAGE}: which Harness guards this project is for a person to say, not for the agent`;

const MANAGERS: ReadonlySet<string> = new Set('npm pnpm yarn bun cnpm corepack'.split(' '));
const CHANGING: ReadonlySet<string> = new Set(
  'install i in ins add isntall update up upgrade udpate uninstall remove rm r un unlink link ln dedupe rebuild rb replace patch set'.split(
    ' ',
  ),
);
const PKG_CHANGING: ReadonlySet<string> = new Set('set delete fix'.split(' '));

/** The package itself, or an alias of it: `harness-hooks@latest`, `x@npm:harness-hooks`, `devDependencies.harness-hooks=…`. */
const NAMES_PACKAGE = /(?:^|[\s@:/."'[=])harness-hooks(?=$|[@\s:/."'\]=])/;

/** Why a package manager must not be told that, or null. */
export function refusedByManager({ program, args }: Command): string | null {
  if (!MANAGERS.has(program) || !args.some((arg) => NAMES_PACKAGE.test(arg))) return null;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = '', second = ''] = words[0] === 'global' ? words.slice(1) : words;
  const changes = first === 'pkg' ? PKG_CHANGING.has(second) : CHANGING.has(first);
  return changes ? FOR_A_PERSON : null;
}

const MANIFESTS: ReadonlySet<string> = new Set(
  'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock pnpm-workspace.yaml'.split(
    ' ',
  ),
);

const isManifest = (path: string) => MANIFESTS.has(basename(path.trim()));

/** Why a file tool must not change a manifest so, or null: the lines that name the package have to stay as they are. */
export function refusedEdit(args: JsonObject, cwd: string): string | null {
  const manifests = pathArguments(args).filter(isManifest);
  if (manifests.length === 0) return null;
  const texts = textsIn(args);
  const whole = texts.find(({ key }) => CONTENT.test(key))?.text;
  if (whole !== undefined) {
    return manifests.some((path) => entries(currentText(path, cwd)) !== entries(whole)) ? FOR_A_PERSON : null;
  }
  const [before, after] = [OLD, NEW].map((pattern) =>
    texts
      .filter(({ key }) => pattern.test(key))
      .map(({ text }) => entries(text))
      .join('\n'),
  );
  const patched = texts.some(({ text }) => /^[+-](?![+-]{2}).*harness-hooks/m.test(text));
  return before !== after || patched ? FOR_A_PERSON : null;
}

const CONTENT = /^(?:content|contents|file_text|text|data|body)$/i;
const OLD = /^(?:old|search|find|from_text)/i;
const NEW = /^(?:new|replace|to_text)/i;

/** Why a command must not run that writes a manifest and names the package, or null. */
export function refusedManifestCommand({ writes, args, code, program }: Command): string | null {
  const changes = writes.some(isManifest) || (code !== null && code.language !== 'sh') || program === 'jq';
  const text = [...args, code?.text ?? ''].join('\n');
  return changes && text.includes(PACKAGE) && [...writes, text].some(namesManifest) ? FOR_A_PERSON : null;
}

function namesManifest(text: string): boolean {
  return [...MANIFESTS].some((name) => text.includes(name));
}

function currentText(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch {
    return '';
  }
}

/** The lines that name the package, without what a neighbour adds to them. */
function entries(text: string): string {
  const lines = text.split('\n').filter((line) => NAMES_PACKAGE.test(line) || line.includes(`/${PACKAGE}-`));
  return lines.map((line) => line.trim().replace(/,$/, '')).join('\n');
}

/** Every text of a value, with the key that it stands under. */
export function textsIn(value: Json, key = ''): { readonly key: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ key, text: value }];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key));
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner as Json, name))
    : [];
}
