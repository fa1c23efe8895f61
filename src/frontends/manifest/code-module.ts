/**
 * A JavaScript or TypeScript module that handlers are taken from: code of the project, with all rights of this
 * process. It is read to see what it exports, and run only when one of its hooks is first called.
 */
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { HarnessError } from '../../base/index.ts';
import type { Body } from '../../engine/index.ts';
import { FolderSnapshot } from '../../files/index.ts';
import { importModule, typeScriptRunner } from '../../machine/index.ts';
import { handlerBody } from '../code/functions/functions-front-end.ts';

type Handler = (event: never) => unknown;

export class CodeModule {
  /** Absolute. */
  private readonly file: string;
  private readonly name: string;
  private readonly text: string;
  private readonly digest: string;
  private loading: Promise<Readonly<Record<string, unknown>>> | null = null;

  /** `name` is the path people know it by; `digest` is of the bytes that `text` was read from. */
  constructor(file: string, name: string, text: string, digest: string) {
    this.file = file;
    this.name = name;
    this.text = text;
    this.digest = digest;
  }

  /** `maybe` where only running the module could tell. */
  exports(name: string): 'yes' | 'no' | 'maybe' {
    const code = withoutComments(this.text);
    if (exportedNames(code).has(name)) return 'yes';
    return OPEN_ENDED.test(code) ? 'maybe' : 'no';
  }

  /** The names it is seen to export, for hints. */
  exported(): string[] {
    return [...exportedNames(withoutComments(this.text))];
  }

  body(name: string): Body {
    let ready: Body | null = null;
    return (seen, call) => {
      if (ready !== null) return ready(seen, call);
      return this.handler(name).then((handler) => {
        ready = handlerBody(handler);
        return ready(seen, call);
      });
    };
  }

  private async handler(name: string): Promise<Handler> {
    this.loading ??= this.loadUnchanged();
    const found = await this.loading;
    const handler = found[name] ?? (found.default as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (typeof handler === 'function') return handler as Handler;
    throw new HarnessError('HANDLER_INVALID', `${this.name} exports no function ${name}`);
  }

  /** Node reads the file itself: its bytes before and after are those that the policy was opened with, or no handler is called. */
  private async loadUnchanged(): Promise<Readonly<Record<string, unknown>>> {
    this.demandUnchanged();
    const loaded = await this.load();
    this.demandUnchanged();
    return loaded;
  }

  private demandUnchanged(): void {
    if (new FolderSnapshot('').digest(this.file) === this.digest) return;
    throw new HarnessError('HANDLER_INVALID', `${this.name} has changed since the policy was opened`);
  }

  private async load(): Promise<Readonly<Record<string, unknown>>> {
    const url = pathToFileURL(this.file);
    // A file that was edited is another module; without this the first version would stay for good.
    url.searchParams.set('v', this.digest.slice(0, 12));
    try {
      return await importModule<Readonly<Record<string, unknown>>>(url.href);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION')
        return this.loadTypeScript(url);
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new HarnessError('HANDLER_INVALID', `${this.name} cannot be loaded: ${why}`);
    }
  }

  /** On a Node that does not read TypeScript itself: with the package of the project that does, or with types taken out. */
  private async loadTypeScript(url: URL): Promise<Readonly<Record<string, unknown>>> {
    const reader = findTsx(this.file);
    if (reader === null) return this.loadStripped(url);
    const { tsImport } = await importModule<{
      tsImport: (specifier: string, parent: string) => Promise<Readonly<Record<string, unknown>>>;
    }>(pathToFileURL(reader).href);
    return tsImport(url.href, url.href);
  }

  private async loadStripped(url: URL): Promise<Readonly<Record<string, unknown>>> {
    if (!stripTypes()) {
      throw new HarnessError('HANDLER_INVALID', `${this.name} cannot be loaded: ${NO_TYPESCRIPT}`);
    }
    // Node remembers that the first attempt failed.
    url.searchParams.set('types', 'stripped');
    try {
      return await importModule<Readonly<Record<string, unknown>>>(url.href);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new HarnessError('HANDLER_INVALID', `${this.name} cannot be loaded: ${why}`);
    }
  }
}

let stripping = false;

/** From here on this process reads TypeScript; false if it cannot be made to. */
function stripTypes(): boolean {
  const hooks = typeScriptRunner('hooks.mjs');
  if (stripping || hooks === null) return stripping;
  register(pathToFileURL(hooks).href);
  stripping = true;
  return true;
}

const NO_TYPESCRIPT = `this Node (${process.version}) does not read TypeScript; use Node 22.18 or newer, install tsx in the project, or write a .mjs`;

/** Why a TypeScript module may not load here, or null. A loader this process was started with may know better. */
export function typeScriptProblem(file: string): string | null {
  const { typescript } = process.features as { typescript?: string | false };
  if (typescript || process.versions.bun !== undefined || findTsx(file) !== null) return null;
  if (typeScriptRunner('hooks.mjs') !== null) return null;
  return NO_TYPESCRIPT;
}

function findTsx(file: string): string | null {
  try {
    return createRequire(file).resolve('tsx/esm/api');
  } catch {
    return null;
  }
}

/** Text in which `export` is the word: comments are gone, and so are the insides of nothing else. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/.*$/gm, ' ');
}

const DECLARED = /\bexport\s+(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s+([A-Za-z_$][\w$]*)/g;
const LISTED = /\bexport\s*\{([^}]*)\}/g;
const ASSIGNED = /\b(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=/g;
/** Exports whose names are not written here. */
const OPEN_ENDED =
  /\bexport\s*\*|\bexport\s+(?:const|let|var)\s*[{[]|\bexport\s+default\b|\bmodule\.exports\b/;

function exportedNames(code: string): Set<string> {
  const names = new Set<string>();
  for (const [, name] of code.matchAll(DECLARED)) names.add(name!);
  for (const [, name] of code.matchAll(ASSIGNED)) names.add(name!);
  for (const [, list] of code.matchAll(LISTED)) {
    for (const item of list!.split(',')) {
      const name = item
        .trim()
        .split(/\s+as\s+/)
        .at(-1);
      if (name !== undefined && name !== '') names.add(name);
    }
  }
  return names;
}
