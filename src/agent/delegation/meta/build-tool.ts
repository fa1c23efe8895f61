/**
 * A tool that an agent gives itself. Its script has neither files nor programs of its own: what it wants done to the machine
 * it asks of other tools with `meta.call_tool`, and so of the policy.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { SourceFile } from '../../../base/source.ts';
import { PARAMETER_TYPES } from '../../../files/artifact-schema.ts';
import { compileEntry, type ScriptKind } from '../../../script/compile-script.ts';
import type { Tool } from '../../tool.ts';
import { TOOL_ENVIRONMENT, TOOL_SCRIPT } from '../../tools/environment.ts';
import { runnerOf } from '../../tools/run-tool.ts';
import { type Build, refused, textIn } from './augmentation.ts';

const ONLY_BY_TOOLS = 'a tool registered at run time calls other tools for that, with meta.call_tool';

const RUNTIME_SCRIPT: ScriptKind = {
  ...TOOL_SCRIPT,
  environment: new Map([...TOOL_ENVIRONMENT].filter(([name]) => name !== 'fs' && name !== 'exec')),
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

/** A table of names to `{type, description, required, default}`, or a JSON Schema of an object. */
function parametersOf(what: string, given: Json | undefined): { schema: JsonObject; defaults: JsonObject } {
  if (given === undefined || given === null)
    return { schema: { type: 'object', properties: {} }, defaults: {} };
  if (!isJsonObject(given)) throw refused(`${what}: parameters wants a table of names`);
  if (typeof given.type === 'string') {
    if (given.type !== 'object') throw refused(`${what}: parameters.type must be object`);
    return { schema: given, defaults: {} };
  }
  const properties: Record<string, Json> = {};
  const defaults: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, parameter] of Object.entries(given)) {
    if (!isJsonObject(parameter) || !(PARAMETER_TYPES as readonly Json[]).includes(parameter.type ?? null)) {
      throw refused(`${what}: parameters.${name} wants a type among ${PARAMETER_TYPES.join(', ')}`);
    }
    const { required: demanded, ...rest } = parameter;
    properties[name] = rest;
    if (demanded === true) required.push(name);
    if (rest.default !== undefined) defaults[name] = rest.default;
  }
  return { schema: { type: 'object', properties, ...(required.length > 0 && { required }) }, defaults };
}
