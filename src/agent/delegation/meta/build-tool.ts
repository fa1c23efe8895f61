/**
 * A tool that an agent gives itself. Its script has neither files nor programs of its own: what it wants done to the machine
 * it asks of other tools with `meta.call_tool`, and so of the policy.
 */
import { type Json, SourceFile } from '../../../base/index.ts';
import { FileReport, readJsonTree } from '../../../files/index.ts';
import { compileEntry, type ScriptKind } from '../../../script/index.ts';
import type { Tool } from '../../tool.ts';
import { TOOL_BUILTINS, TOOL_SCRIPT } from '../../tools/environment.ts';
import { type Parameters, readParameters } from '../../tools/parameters.ts';
import { runnerOf } from '../../tools/run-tool.ts';
import { type Build, refused, textIn } from './augmentation.ts';

const ONLY_BY_TOOLS = 'a tool registered at run time calls other tools for that, with meta.call_tool';

const RUNTIME_SCRIPT: ScriptKind = {
  ...TOOL_SCRIPT,
  environment: new Map([...TOOL_BUILTINS].filter(([name]) => name !== 'fs' && name !== 'exec')),
  absent: { ...TOOL_SCRIPT.absent, fs: ONLY_BY_TOOLS, exec: ONLY_BY_TOOLS },
};

export const buildTool: Build = async ({ state }, spec, known) => {
  const name = textIn(spec, 'name', 'a tool');
  const what = `tool "${name}"`;
  const { tools, engine } = state;
  const replace = tools.has(name);
  if (replace && !known.tool.has(name)) {
    throw refused(`${what}: there is such a tool, and only those registered at run time can be replaced`);
  }
  if (replace && spec.replace !== true)
    throw refused(`${what}: there is such a tool; say replace to replace it`);
  const description = textIn(spec, 'description', what);
  const timeoutMs = typeof spec.timeout_ms === 'number' ? Math.max(0, spec.timeout_ms) : 0;
  const { schema, defaults } = parametersOf(what, spec.parameters);
  const source = new SourceFile('<runtime>', textIn(spec, 'script', what));
  const compiled = await compileEntry(source, RUNTIME_SCRIPT);
  if (!compiled.ok) {
    throw refused(`${what}: ${compiled.mistakes.map(({ message }) => message).join('; ')}`);
  }
  const domains = engine.run.settings.allowedDomains;
  const tool: Tool = {
    name,
    description,
    parameters: schema,
    timeoutMs,
    source: '<runtime>',
    run: runnerOf(compiled.entry, { name, timeoutMs, domains, defaults }),
  };
  return {
    payload: { name, description, replace },
    add: () => {
      tools.set(name, tool);
      return () => void tools.delete(name);
    },
  };
};

/** Read as those of a file are, and refused with the first thing that is wrong. */
function parametersOf(what: string, given: Json | undefined): Parameters {
  const text = JSON.stringify(given ?? {});
  const tree = readJsonTree(text);
  if (!tree.ok) throw refused(`${what}: ${tree.message}`);
  const report = new FileReport('<runtime>', text);
  const read = readParameters(tree.root, { report, path: '' });
  if (read === null) throw refused(`${what}: ${report.firstError().message.replace(YAML_LINE, '')}`);
  return read;
}

/** There is no file in which the agent could look for a line. */
const YAML_LINE = /^: yaml: line 1: /;
