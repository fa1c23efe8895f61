/**
 * Reads the tools of a project: `.harness/tools/*.md`, the lists in `harness.md` and those of bundles. Where several
 * define one name, the highest rank has it, also when it is broken: a tool never comes back in a laxer form.
 */
import { type MapNode, type Problem, textAt } from '../../base/index.ts';
import {
  type Artifact,
  BUNDLE_KINDS,
  checkFields,
  embeddedSource,
  type Fields,
  FileReport,
  type FolderSnapshot,
  LISTED_TOOL_FIELDS,
  LISTED_TOOLS,
  type Misplaced,
  type Scope,
  TOOL_FIELDS,
} from '../../files/index.ts';
import {
  BUNDLE_FOLDERS,
  type HarnessFile,
  readFolder,
  readHarnessFiles,
  TOOLS_FOLDER,
} from '../../frontends/index.ts';
import { compileEntry, type Library, type ScriptCheck } from '../../script/index.ts';
import type { Tool } from '../tool.ts';
import { TOOL_SCRIPT } from './environment.ts';
import { NO_PARAMETERS, readParameters } from './parameters.ts';
import { runnerOf } from './run-tool.ts';
import { TOOL_NAME, TOOL_NAME_RULE } from './tool-name.ts';

export interface ReadTools {
  readonly tools: readonly Tool[];
  /** Every name that is defined, also by a tool that could not be loaded. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
}

/** A tool as it stands in a file. */
interface Draft {
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  /** Null if the file could not be read that far. */
  readonly map: MapNode | null;
  readonly artifact: Artifact;
  readonly report: FileReport;
  /** Where it stands in its file: empty, or `tools[2].` */
  readonly path: string;
  readonly rank: number;
}

/** `domains` are the hosts the scripts may reach over HTTP; `harness` is given if the project has been read already. */
export async function readTools(
  snapshot: FolderSnapshot,
  domains: readonly string[],
  harness: readonly HarnessFile[] = readHarnessFiles(snapshot),
  { check, library = null }: { readonly check?: ScriptCheck; readonly library?: Library | null } = {},
): Promise<ReadTools> {
  const lists = [
    ...harness.map(({ artifact }) => listedDrafts(artifact, ROOT_RANK)),
    ...bundles(snapshot).map(({ artifact, rank }) => listedDrafts(artifact, rank)),
  ];
  const drafts = [...fileDrafts(snapshot), ...lists.flatMap((list) => list.drafts)];
  const winners = new Map<string, Draft>();
  for (const draft of drafts) {
    const before = winners.get(draft.name);
    if (before !== undefined && before.rank === draft.rank) reportTwice(draft, before);
    if (before === undefined || before.rank < draft.rank) winners.set(draft.name, draft);
  }
  const tools: Tool[] = [];
  for (const draft of drafts) {
    const tool = await build(draft, domains, check, library);
    if (tool !== null && winners.get(draft.name) === draft) tools.push(tool);
  }
  const reports = new Set([...lists, ...drafts].map(({ report }) => report));
  return { tools, names: [...winners.keys()], problems: [...reports].flatMap((report) => report.problems) };
}

const ROOT_RANK = BUNDLE_KINDS.harness ?? 0;

function fileDrafts(snapshot: FolderSnapshot): Draft[] {
  return readFolder(snapshot, TOOLS_FOLDER, 'tool').map((artifact) => ({
    name: artifact.path.slice(artifact.path.lastIndexOf('/') + 1).replace(/\.md$/, ''),
    description: artifact.body.trim(),
    map: artifact.map,
    artifact,
    report: artifact.report,
    path: '',
    rank: ROOT_RANK,
  }));
}

function bundles(snapshot: FolderSnapshot): { readonly artifact: Artifact; readonly rank: number }[] {
  return Object.entries(BUNDLE_FOLDERS).flatMap(([folder, kind]) =>
    readFolder(snapshot, folder, 'bundle').map((artifact) => {
      const given = artifact.map?.entries.get('priority')?.value;
      const rank = given?.kind === 'scalar' && typeof given.value === 'number' ? given.value : null;
      return { artifact, rank: rank ?? BUNDLE_KINDS[textAt(artifact.map, 'kind') || kind] ?? 0 };
    }),
  );
}

/** The drafts of a `tools:` list. All that is wrong with its fields is reported here, once for the list. */
function listedDrafts(
  artifact: Artifact,
  rank: number,
): { readonly drafts: readonly Draft[]; readonly report: FileReport } {
  const { map, parsing, path: file } = artifact;
  const report = new FileReport(file, artifact.report.source.text);
  const tools = map?.entries.get('tools');
  if (map === null || tools === undefined) return { drafts: [], report };
  const alone = { ...map, entries: new Map([['tools', tools]]), repeated: [] };
  checkFields(alone, { tools: LISTED_TOOLS }, { report, parsing, path: '' });
  const items = tools.value.kind === 'list' ? tools.value.items : [];
  const drafts = items.flatMap((item, i) => {
    const name = item.kind === 'map' ? textAt(item, 'name') || null : null;
    if (item.kind !== 'map' || name === null) return [];
    const description = textAt(item, 'description')?.trim() ?? '';
    return [{ name, description, map: item, artifact, report, path: `tools[${i}].`, rank }];
  });
  return { drafts, report };
}

const IN_A_FILE: Misplaced = {
  name: 'name is ignored: the file name is the name of the tool',
  description: 'description is ignored: the text below the frontmatter is what the model reads',
};

async function build(
  draft: Draft,
  domains: readonly string[],
  check: ScriptCheck | undefined,
  library: Library | null,
): Promise<Tool | null> {
  const { report, map, name, path } = draft;
  if (map === null) return null;
  const before = report.problems.length;
  const scope: Scope = { report, parsing: draft.artifact.parsing, path };
  // Fields of a list have been reported with the whole list; here only their verdict counts.
  const checked = path === '' ? report : new FileReport(report.source.name, report.source.text);
  const table = path === '' ? TOOL_FIELDS : LISTED_TOOL_FIELDS;
  const fields: Fields<typeof TOOL_FIELDS> = checkFields(
    map,
    table,
    { ...scope, report: checked },
    path === '' ? IN_A_FILE : {},
  );

  if (!TOOL_NAME.test(name)) {
    report.error(
      'TOOL_NAME',
      `the tool name ${JSON.stringify(name)} is not allowed: ${TOOL_NAME_RULE}`,
      map.start,
    );
  }
  if (draft.description === '' && path === '') {
    const message = `tool ${JSON.stringify(name)} has no text below its frontmatter: the model is told nothing about it`;
    report.warning('TOOL_UNDESCRIBED', message, map.start);
  }
  if (fields.get('async') !== undefined) {
    const message = `${path}async is ignored: calls of one completion always run side by side`;
    report.warning('FIELD_UNKNOWN', message, fields.offset('async'));
  }
  const parameters = readParameters(fields.get('parameters'), scope);
  const script = fields.scalar('script');
  const compiled =
    script === undefined
      ? null
      : await compileEntry(embeddedSource(report.source, script), TOOL_SCRIPT, undefined, { library });
  if (compiled !== null && !compiled.ok) {
    for (const { message, position } of compiled.mistakes) report.at(compiled.code, message, position);
  }
  if (checked.failed || report.failedSince(before) || compiled === null || !compiled.ok) return null;
  if (check !== undefined && script !== undefined) {
    const { environment, entry } = TOOL_SCRIPT;
    const source = embeddedSource(report.source, script);
    for (const found of check({
      kind: 'tool',
      source,
      file: report.source,
      environment,
      entry,
      library,
    }))
      report.at(found.code, found.message, found.position, found.severity);
  }
  const { schema, defaults } = parameters ?? NO_PARAMETERS;
  const { timeout_ms: timeoutMs = 0, scopes, sandbox } = fields.data;
  return {
    name,
    description: draft.description,
    parameters: schema,
    timeoutMs,
    ...(scopes !== undefined && { scopes }),
    ...(sandbox !== undefined && { sandbox }),
    source: draft.artifact.path,
    run: runnerOf(compiled.entry, { name, timeoutMs, domains, defaults }),
  };
}

function reportTwice(draft: Draft, before: Draft): void {
  const message = `a tool named ${JSON.stringify(draft.name)} is also in ${before.artifact.path}, which is the one offered`;
  draft.report.error('TOOL_DUPLICATE', message, draft.map?.start ?? 0);
}
