/**
 * Tools written in TypeScript. The table of parameters is their JSON Schema and the type of what `run` gets.
 *
 * ```ts
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   parameters: { a: { type: 'number', required: true }, b: { type: 'number', default: 1 } },
 *   run: ({ a, b }) => a + b,
 * });
 * ```
 */
import { HarnessError, type Json, type JsonObject } from '../../base/index.ts';
import type { RequestedSandbox } from '../../machine/index.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { TOOL_NAME, TOOL_NAME_RULE } from './tool-name.ts';

interface Common {
  readonly description?: string;
  readonly required?: boolean;
}

export type Parameter =
  | (Common & { readonly type: 'string'; readonly enum?: readonly string[]; readonly default?: string })
  | (Common & {
      readonly type: 'integer' | 'number';
      readonly enum?: readonly number[];
      readonly default?: number;
    })
  | (Common & { readonly type: 'boolean'; readonly default?: boolean })
  | (Common & { readonly type: 'array'; readonly items?: Parameter; readonly default?: readonly Json[] })
  | (Common & {
      readonly type: 'object';
      readonly properties?: Readonly<Record<string, Parameter>>;
      readonly default?: JsonObject;
    });

type ParameterTable = Readonly<Record<string, Parameter>>;

/** The type of a value that a parameter admits. */
export type ValueOf<P extends Parameter> = P extends { readonly enum: readonly (infer E)[] }
  ? E
  : P extends { readonly type: 'string' }
    ? string
    : P extends { readonly type: 'integer' | 'number' }
      ? number
      : P extends { readonly type: 'boolean' }
        ? boolean
        : P extends { readonly type: 'array' }
          ? readonly (P extends { readonly items: infer I extends Parameter } ? ValueOf<I> : Json)[]
          : P extends { readonly properties: infer T extends ParameterTable }
            ? ArgumentsOf<T>
            : JsonObject;

/** Parameters that are always there: required ones, and those with a default. */
type Certain<T extends ParameterTable> = {
  [K in keyof T]: T[K] extends { readonly required: true } | { readonly default: Json } ? K : never;
}[keyof T];

export type ArgumentsOf<T extends ParameterTable> = {
  readonly [K in Certain<T>]: ValueOf<T[K]>;
} & {
  readonly [K in Exclude<keyof T, Certain<T>>]?: ValueOf<T[K]>;
};

export interface ToolSpec<T extends ParameterTable> {
  readonly name: string;
  /** What the model reads. */
  readonly description: string;
  readonly parameters?: T;
  /** 0 or absent: the session's limit applies. */
  readonly timeoutMs?: number;
  /** What it takes to call it, all of them. */
  readonly scopes?: readonly string[];
  /** What programs started with `context.host.run` run in. */
  readonly sandbox?: RequestedSandbox;
  /** Gets arguments that have been checked. What it throws becomes an error result for the model. */
  readonly run: (args: ArgumentsOf<T>, context: ToolContext) => Promise<Json> | Json;
}

export function defineTool<const T extends ParameterTable>(spec: ToolSpec<T>): Tool {
  if (!TOOL_NAME.test(spec.name)) {
    throw new HarnessError(
      'TOOL_NAME',
      `the tool name ${JSON.stringify(spec.name)} is not allowed: ${TOOL_NAME_RULE}`,
    );
  }
  const { schema, defaults } = tableSchema(spec.parameters ?? {});
  return {
    name: spec.name,
    description: spec.description,
    parameters: schema,
    ...(spec.timeoutMs !== undefined && { timeoutMs: spec.timeoutMs }),
    ...(spec.scopes !== undefined && { scopes: spec.scopes }),
    ...(spec.sandbox !== undefined && { sandbox: spec.sandbox }),
    source: '<code>',
    // The loop has held the arguments against the schema, which says what the type says.
    run: (args, context) => spec.run({ ...defaults, ...args } as unknown as ArgumentsOf<T>, context),
  };
}

function tableSchema(table: ParameterTable): { schema: JsonObject; defaults: JsonObject } {
  const properties: Record<string, Json> = {};
  const defaults: Record<string, Json> = {};
  const required: string[] = [];
  for (const [name, parameter] of Object.entries(table)) {
    properties[name] = parameterSchema(parameter);
    if (parameter.default !== undefined) defaults[name] = parameter.default;
    if (parameter.required === true) required.push(name);
  }
  return { schema: { type: 'object', properties, ...(required.length > 0 && { required }) }, defaults };
}

function parameterSchema(parameter: Parameter): JsonObject {
  const { required: _demanded, ...given } = parameter;
  const rest = given as unknown as JsonObject;
  if (parameter.type === 'array' && parameter.items !== undefined) {
    return { ...rest, items: parameterSchema(parameter.items) };
  }
  if (parameter.type === 'object' && parameter.properties !== undefined) {
    return { ...rest, ...tableSchema(parameter.properties).schema };
  }
  return rest;
}
