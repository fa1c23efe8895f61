/**
 * What a run needs to know of one function of the source: its name and parameters, and where it stands.
 */
import type { SourceFile } from '../../base/index.ts';
import type { ParameterList } from '../values/function.ts';
import { FUNCTION, SLOT } from '../values/size.ts';
import type { FunctionInfo } from './analyze.ts';
import { parameterList } from './arguments.ts';

export class Code {
  readonly name: string;
  readonly source: SourceFile;
  readonly params: ParameterList;
  /** What each function value made of it weighs. */
  readonly bytes: number;
  /** Names of the built-ins it calls directly, by the offset of the call. */
  readonly builtins = new Map<number, string>();

  constructor(name: string, source: SourceFile, params: ParameterList) {
    this.name = name;
    this.source = source;
    this.params = params;
    this.bytes = FUNCTION + SLOT * params.required.filter((required) => !required).length;
  }
}

const NO_PARAMETERS: ParameterList = {
  names: [],
  positional: 0,
  required: [],
  variadic: false,
  keywords: false,
};

export function codeOf(info: FunctionInfo, source: SourceFile): Code {
  if (info.node === null) return new Code('<toplevel>', source, NO_PARAMETERS);
  return new Code(info.node.name, source, parameterList(info.node));
}
