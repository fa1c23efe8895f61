/**
 * The language server: diagnostics as `validate` gives them, live on what is typed; completion, hover, definition, rename, quick
 * fixes, formatting, and a lens that decides. It speaks on two streams and keeps nothing.
 */
import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CodeLens,
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  ErrorCodes,
  type Location,
  type Position,
  type Range,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Problem, visible } from '../base/index.ts';
import { formatText, readAsEdited } from '../files/index.ts';
import { type CompletionScope, completionsAt } from './complete.ts';
import { fixesFor } from './fixes.ts';
import { hoverAt } from './hover.ts';
import { type Region, regionAt, regionsOf } from './regions.ts';
import { definitionOf, identAt, placesOf, readScript, type Span } from './symbols.ts';
import { environmentOf } from './vocabulary.ts';
import { decideLast, type FolderReport, folderOf, inspectFolder, isLoadedElsewhere } from './workspace.ts';

/** Typing comes in bursts: one look after each. */
const SETTLE_MS = 120;

const DECIDE = 'harness.decideWithLastPayload';

const NOTHING: FolderReport = { problems: new Map(), tools: [], library: null, at: (file) => file };

export function serve(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const looks = new Map<string, FolderReport>();
  const published = new Map<string, Set<string>>();
  const waiting = new Map<string, NodeJS.Timeout>();
  /** By path: editors do not agree on which characters of an address are escaped. */
  const openAt = (path: string) => documents.all().find(({ uri }) => pathOf(uri) === path);
  readAsEdited((path) => openAt(path)?.getText());

  connection.onInitialize(() => ({
    serverInfo: { name: 'harness' },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: ['"', '.', '/', ' ', '['] },
      hoverProvider: true,
      definitionProvider: true,
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: ['quickfix'] },
      documentFormattingProvider: true,
      codeLensProvider: { resolveProvider: false },
      executeCommandProvider: { commands: [DECIDE] },
    },
  }));

  const lookNow = async (folder: string): Promise<void> => {
    try {
      const look = await inspectFolder(folder);
      looks.set(folder, look);
      await publish(folder, look);
    } catch (error) {
      const { console: log } = connection;
      log.error(`cannot look at ${visible(folder)}: ${visible((error as Error).message)}`);
    }
  };

  const publish = async (folder: string, { problems }: FolderReport): Promise<void> => {
    const before = published.get(folder) ?? new Set();
    const now = new Set(problems.keys());
    published.set(folder, now);
    for (const path of new Set([...before, ...now])) {
      const document = documentAt(path);
      const { uri } = document;
      const diagnostics = (problems.get(path) ?? []).map((problem) => diagnosticOf(problem, document));
      await connection.sendDiagnostics({ uri, diagnostics });
    }
  };

  const documentAt = (path: string): TextDocument => {
    return openAt(path) ?? TextDocument.create(pathToFileURL(path).href, '', 0, textAt(path));
  };

  const soon = (uri: string): void => {
    const folder = folderOf(pathOf(uri));
    if (folder === null) return;
    clearTimeout(waiting.get(folder));
    waiting.set(
      folder,
      setTimeout(() => void lookNow(folder), SETTLE_MS),
    );
  };
  documents.onDidChangeContent(({ document }) => soon(document.uri));
  documents.onDidClose(({ document }) => soon(document.uri));

  /** The document with what is known around it. */
  const around = (
    uri: string,
  ): (CompletionScope & { document: TextDocument; folder: string | null; look: FolderReport }) | null => {
    const document = documents.get(uri);
    if (document === undefined) return null;
    const folder = folderOf(pathOf(uri));
    const look = (folder === null ? undefined : looks.get(folder)) ?? NOTHING;
    const path = pathOf(uri).split(sep).join('/');
    return {
      path,
      text: document.getText(),
      tools: look.tools,
      library: look.library,
      document,
      folder,
      look,
    };
  };

  connection.onCompletion(({ textDocument, position }) => {
    const here = around(textDocument.uri);
    return here === null ? [] : completionsAt(here, here.document.offsetAt(position));
  });

  connection.onHover(({ textDocument, position }) => {
    const here = around(textDocument.uri);
    const value = here === null ? null : hoverAt(here, here.document.offsetAt(position));
    return value === null ? null : { contents: { kind: 'markdown', value } };
  });

  const scriptAt = (uri: string, position: Position) => {
    const here = around(uri);
    const found =
      here === null ? null : regionAt(regionsOf(here.path, here.text), here.document.offsetAt(position));
    if (here === null || found === null) return null;
    const { region, at } = found;
    return { ...here, region, at, script: readScript(region, environmentOf(region, here.path)) };
  };

  connection.onDefinition(({ textDocument, position }): Location | null => {
    const here = scriptAt(textDocument.uri, position);
    const target = here === null ? null : definitionOf(here.script, here.at, here.library);
    if (here === null || target === null) return null;
    if (target.kind === 'here') {
      return { uri: textDocument.uri, range: rangeOf(here.document, here.region, target.span) };
    }
    const document = documentAt(here.look.at(target.file));
    const start = document.positionAt(target.offset);
    return { uri: document.uri, range: { start, end: start } };
  });

  connection.onPrepareRename(({ textDocument, position }) => {
    const here = scriptAt(textDocument.uri, position);
    if (here === null || placesOf(here.script, here.at).length === 0) return null;
    return rangeOf(here.document, here.region, identAt(here.script, here.at)!);
  });

  connection.onRenameRequest(({ textDocument, position, newName }): WorkspaceEdit | null => {
    const here = scriptAt(textDocument.uri, position);
    if (here === null) return null;
    const places = placesOf(here.script, here.at);
    const name = identAt(here.script, here.at)?.name ?? '';
    const refused = refusal(here, name, newName, places);
    if (refused !== null) throw new ResponseError(ErrorCodes.InvalidRequest, refused);
    const edits = places.map((span) => ({
      range: rangeOf(here.document, here.region, span),
      newText: newName,
    }));
    return { changes: { [textDocument.uri]: edits } };
  });

  const refusal = (
    here: NonNullable<ReturnType<typeof scriptAt>>,
    name: string,
    newName: string,
    places: readonly Span[],
  ): string | null => {
    if (places.length === 0) return 'only names that the script itself makes can be renamed';
    if (!/^[A-Za-z_]\w*$/.test(newName)) return `${newName} is no name: letters, digits and _ only`;
    if (here.script.idents.some((each) => each.name === newName)) return `${newName} is used already`;
    if (environmentOf(here.region, here.path).has(newName)) return `${newName} is a built-in`;
    if (places.some(({ start }) => isLoadBinding(here.region, start)))
      return `${name} comes from a library: rename it there, or load it as ${newName} = "${name}"`;
    const texts = documents.all().map((document) => document.getText());
    if (here.region.kind === 'library' && isLoadedElsewhere(here.library, name, texts))
      return `${name} is loaded by other scripts, which would lose it`;
    return ENTRIES.has(name) && here.region.kind === 'script' ? `${name} is what the host calls` : null;
  };

  connection.onCodeAction(({ textDocument, context }) => {
    const here = around(textDocument.uri);
    return here === null ? [] : fixesFor(here.path, here.document, context.diagnostics);
  });

  connection.onDocumentFormatting(({ textDocument }) => {
    const here = around(textDocument.uri);
    if (here === null) return [];
    const { after } = formatText(here.path, here.text);
    if (after === null || after === here.text) return [];
    const end = here.document.positionAt(here.text.length);
    return [{ range: { start: { line: 0, character: 0 }, end }, newText: after }];
  });

  connection.onCodeLens(({ textDocument }): CodeLens[] => {
    const here = around(textDocument.uri);
    if (here === null || here.folder === null) return [];
    return regionsOf(here.path, here.text)
      .filter(({ kind, field, event }) => kind === 'script' && field === 'script' && event !== null)
      .map(({ line, event }) => {
        const place = { line, character: 0 };
        const command = {
          title: 'decide with the last recorded payload',
          command: DECIDE,
          arguments: [textDocument.uri, event],
        };
        return { range: { start: place, end: place }, command };
      });
  });

  connection.onExecuteCommand(async ({ command, arguments: given = [] }) => {
    const [uri, event] = given as [string?, string?];
    if (command !== DECIDE || typeof uri !== 'string' || typeof event !== 'string')
      throw new ResponseError(ErrorCodes.InvalidParams, `want ${DECIDE} with a document and an event`);
    const path = pathOf(uri);
    const folder = folderOf(path);
    if (folder === null) throw new ResponseError(ErrorCodes.InvalidRequest, 'the file belongs to no policy');
    const decided = await decideLast(folder, path, event);
    const why = decided.reason === null ? '' : `: ${decided.reason}`;
    void connection.window.showInformationMessage(
      visible(`${decided.action}${why} (${event}, ${decided.from})`),
    );
    return decided;
  });

  documents.listen(connection);
  connection.listen();
}

const ENTRIES: ReadonlySet<string> = new Set(['handle', 'run']);

function isLoadBinding({ text }: Region, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^\s*load\(/.test(line) && !/=\s*$/.test(line) && /"$/.test(line);
}

function pathOf(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function rangeOf(document: TextDocument, region: Region, { start, end }: Span): Range {
  return {
    start: document.positionAt(region.toFile(start)),
    end: document.positionAt(region.toFile(end)),
  };
}

/** Where a problem stands, up to the end of the word there. Columns are characters here and UTF-16 units for an editor. */
function diagnosticOf({ severity, code, message, position }: Problem, document: TextDocument): Diagnostic {
  const { line = 1, col = 1 } = position ?? {};
  const text = document.getText().split('\n')[line - 1] ?? '';
  const from = [...text].slice(0, col - 1).join('').length;
  const word = /^(?:"[^"]*"|[\w.]+|\S+)/.exec(text.slice(from))?.[0].length ?? 1;
  return {
    range: {
      start: { line: line - 1, character: from },
      end: { line: line - 1, character: from + word },
    },
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'harness',
    message,
  };
}
