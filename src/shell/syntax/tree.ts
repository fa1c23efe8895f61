/**
 * The tree of a shell text: commands, words and what stands inside of words. It says how a text is built and nothing of what
 * its variables hold; `start` and `end` are offsets in the text that was given to the reader.
 */

/** A word. `parts` is null if its value is `text`, whatever the shell knows. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** The value without quotes; for a word with parts, its source. */
  readonly text: string;
  readonly parts: readonly Part[] | null;
  /** Some of it stands in quotes or behind a backslash: never a reserved word, and there even if it is empty. */
  readonly quoted: boolean;
  readonly glob: boolean;
  /** Has `{` outside of quotes. */
  readonly brace: boolean;
}

export type Part = TextPart | ParamPart | CommandPart | ArithPart | ProcessPart | TildePart;

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  readonly quoted: boolean;
}

/** `$x`, `${x:-y}`. */
export interface ParamPart {
  readonly kind: 'param';
  readonly name: string;
  /** `:-`, `%`, `/`, `@`, …; empty for the plain value, `#` in front is `length`. */
  readonly op: string;
  readonly arg: Word | null;
  readonly index: Word | null;
  readonly length: boolean;
  readonly indirect: boolean;
  readonly quoted: boolean;
  readonly at: number;
}

/** `$(…)` and backticks. */
export interface CommandPart {
  readonly kind: 'command';
  readonly script: Node;
  readonly quoted: boolean;
  readonly at: number;
}

/** `$((…))`, `$[…]` and the inside of `((…))`. */
export interface ArithPart {
  readonly kind: 'arith';
  /** The source of the expression, with a sign for each expansion in it. */
  readonly text: string;
  /** What is expanded in it, in order. */
  readonly parts: readonly Part[];
  readonly quoted: boolean;
  readonly at: number;
}

/** `<(…)` and `>(…)`. */
export interface ProcessPart {
  readonly kind: 'process';
  readonly script: Node;
  readonly writes: boolean;
  readonly at: number;
}

/** `~` and `~name` at the beginning of a word; `later` if it stands behind `=` or `:`, where shells differ. */
export interface TildePart {
  readonly kind: 'tilde';
  readonly name: string;
  readonly later: boolean;
}

export interface Assign {
  readonly name: string;
  readonly append: boolean;
  readonly value: Word;
  /** The words of `x=(…)`. */
  readonly list: readonly Word[] | null;
  readonly index: Word | null;
}

export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `<>`, `<&`, `>&`, `&>`, `&>>`, `<<`, `<<<`. */
  readonly op: string;
  /** Null if none is written; a name for `{name}>`. */
  readonly fd: string | null;
  /** For `<<`, what the document says. */
  readonly target: Word;
  readonly at: number;
}

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Simple extends Placed {
  readonly kind: 'simple';
  readonly assigns: readonly Assign[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Lists behind a word that declares: `local x=(…)`. */
  readonly declared: readonly Assign[] | null;
}

export interface Pipeline {
  readonly kind: 'pipeline';
  readonly items: readonly Node[];
  /** Places after which `|&` stands. */
  readonly both: readonly boolean[];
}

export interface AndOr {
  readonly kind: 'and-or';
  readonly items: readonly Node[];
  readonly ops: readonly ('&&' | '||')[];
}

export interface List {
  readonly kind: 'list';
  readonly items: readonly Node[];
  /** True where `&` follows. */
  readonly background: readonly boolean[];
}

interface Compound extends Placed {
  readonly redirects: readonly Redirect[];
}

export interface Block extends Compound {
  readonly kind: 'group' | 'subshell';
  readonly body: Node;
}

export interface If extends Compound {
  readonly kind: 'if';
  readonly branches: readonly { readonly test: Node; readonly body: Node }[];
  readonly otherwise: Node | null;
}

export interface While extends Compound {
  readonly kind: 'while';
  readonly test: Node;
  readonly body: Node;
}

export interface For extends Compound {
  readonly kind: 'for';
  readonly name: string;
  /** Null for the arguments of the script. */
  readonly words: readonly Word[] | null;
  readonly select: boolean;
  readonly body: Node;
}

export interface ForArith extends Compound {
  readonly kind: 'for-arith';
  readonly head: ArithPart;
  readonly body: Node;
}

export interface Case extends Compound {
  readonly kind: 'case';
  readonly word: Word;
  /** `falls`: the next body may run too, `;&`. */
  readonly branches: readonly {
    readonly patterns: readonly Word[];
    readonly body: Node;
    readonly falls: boolean;
  }[];
}

export interface FunctionDefinition extends Placed {
  readonly kind: 'function';
  readonly name: string;
  readonly body: Node;
}

/** `[[ … ]]`. */
export interface Test extends Compound {
  readonly kind: 'test';
  readonly words: readonly Word[];
}

export interface Arith extends Compound {
  readonly kind: 'arith';
  readonly expression: ArithPart;
}

export interface Coprocess extends Placed {
  readonly kind: 'coproc';
  readonly name: string;
  readonly body: Node;
}

export type CompoundNode = Block | If | While | For | ForArith | Case | Test | Arith;
export type Node = Simple | Pipeline | AndOr | List | CompoundNode | FunctionDefinition | Coprocess;
