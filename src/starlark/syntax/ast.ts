/**
 * The syntax tree. Every node carries the UTF-16 offsets `start` and `end` of its text; `SourceFile` turns them
 * into lines and columns. The parser builds it, the resolver fills in the fields marked "resolver", the back ends read it.
 */
import type { Binding, FunctionScope } from '../resolve/binding.ts';

interface Node {
  readonly start: number;
  readonly end: number;
}

export interface Ident extends Node {
  readonly kind: 'ident';
  readonly name: string;
  /** Resolver: what the name refers to. */
  binding?: Binding;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  /** A float is told from an int by `type`: 1.0 and 1 are the same JavaScript number. */
  readonly type: 'int' | 'float' | 'string' | 'bytes';
  readonly value: number | bigint | string | Uint8Array;
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly items: readonly Expr[];
}
export interface TupleExpr extends Node {
  readonly kind: 'tuple';
  readonly items: readonly Expr[];
  /** Whether it was written with parentheses; `for x in 1, 2` is not. */
  readonly parenthesized: boolean;
}
export interface DictEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
}
export interface DictExpr extends Node {
  readonly kind: 'dict';
  readonly entries: readonly DictEntry[];
}

export interface ForClause extends Node {
  readonly kind: 'forClause';
  readonly target: Target;
  readonly iterable: Expr;
}
export interface IfClause extends Node {
  readonly kind: 'ifClause';
  readonly condition: Expr;
}
/** `[body for … if …]`, or with `key`, `{key: body for …}`. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly result: 'list' | 'dict';
  readonly key: Expr | null;
  readonly body: Expr;
  readonly clauses: readonly (ForClause | IfClause)[];
}

export type UnaryOp = '+' | '-' | '~' | 'not';
export interface Unary extends Node {
  readonly kind: 'unary';
  readonly op: UnaryOp;
  readonly operand: Expr;
}
/** Operators that `OP=` may carry too. */
export type ArithmeticOp = '+' | '-' | '*' | '/' | '//' | '%' | '&' | '|' | '^' | '<<' | '>>';
export type CompareOp = '==' | '!=' | '<' | '>' | '<=' | '>=' | 'in' | 'not in';
export type BinaryOp = ArithmeticOp | CompareOp | 'and' | 'or';
export interface Binary extends Node {
  readonly kind: 'binary';
  readonly op: BinaryOp;
  /** Offset of the operator: errors of the operation point here. */
  readonly opStart: number;
  readonly left: Expr;
  readonly right: Expr;
}
export interface Conditional extends Node {
  readonly kind: 'conditional';
  readonly condition: Expr;
  readonly then: Expr;
  readonly otherwise: Expr;
}

export interface Argument extends Node {
  readonly kind: 'positional' | 'named' | 'star' | 'starstar';
  /** Set for `named` only. */
  readonly name: string | null;
  readonly value: Expr;
}
export interface Call extends Node {
  readonly kind: 'call';
  readonly callee: Expr;
  readonly args: readonly Argument[];
  /** Offset of the opening parenthesis: a frame of a traceback points here. */
  readonly openStart: number;
}
export interface Index extends Node {
  readonly kind: 'index';
  readonly object: Expr;
  readonly index: Expr;
  readonly openStart: number;
}
export interface Slice extends Node {
  readonly kind: 'slice';
  readonly object: Expr;
  readonly low: Expr | null;
  readonly high: Expr | null;
  readonly step: Expr | null;
  readonly openStart: number;
}
export interface Dot extends Node {
  readonly kind: 'dot';
  readonly object: Expr;
  readonly name: string;
  /** Offset of the dot. */
  readonly dotStart: number;
  readonly nameStart: number;
}

export interface Parameter extends Node {
  /** `bare` is a lone `*` that makes what follows keyword-only. */
  readonly kind: 'plain' | 'star' | 'starstar' | 'bare';
  readonly ident: Ident | null;
  readonly default: Expr | null;
}
/** What `def` and `lambda` share. */
export interface FunctionNode extends Node {
  readonly name: string;
  readonly params: readonly Parameter[];
  readonly body: readonly Stmt[];
  /** Resolver. */
  scope?: FunctionScope;
}
export interface Lambda extends Node {
  readonly kind: 'lambda';
  /** Its body is one `return` statement. */
  readonly fn: FunctionNode;
}
/** `(x)`: kept so that `(a, b) = …` and positions stay exact; it has no meaning of its own. */
export interface Paren extends Node {
  readonly kind: 'paren';
  readonly inner: Expr;
}

export type Expr =
  | Ident
  | Literal
  | ListExpr
  | TupleExpr
  | DictExpr
  | Comprehension
  | Unary
  | Binary
  | Conditional
  | Call
  | Index
  | Slice
  | Dot
  | Lambda
  | Paren;

/** What may stand left of `=` or after `for`: an identifier, index, dot, or a list/tuple/paren of targets. */
export type Target = Ident | Index | Dot | ListExpr | TupleExpr | Paren;

export interface ExprStmt extends Node {
  readonly kind: 'expr';
  readonly value: Expr;
}
export interface Assign extends Node {
  readonly kind: 'assign';
  readonly target: Target;
  readonly opStart: number;
  readonly value: Expr;
}
export interface AugAssign extends Node {
  readonly kind: 'augAssign';
  readonly target: Ident | Index | Dot;
  readonly op: ArithmeticOp;
  readonly opStart: number;
  readonly value: Expr;
}
export interface Def extends Node {
  readonly kind: 'def';
  readonly ident: Ident;
  readonly fn: FunctionNode;
}
export interface If extends Node {
  readonly kind: 'if';
  readonly condition: Expr;
  readonly then: readonly Stmt[];
  /** `elif` is an `if` alone in here. */
  readonly otherwise: readonly Stmt[];
}
export interface For extends Node {
  readonly kind: 'for';
  readonly target: Target;
  readonly iterable: Expr;
  readonly body: readonly Stmt[];
}
export interface While extends Node {
  readonly kind: 'while';
  readonly condition: Expr;
  readonly body: readonly Stmt[];
}
export interface Return extends Node {
  readonly kind: 'return';
  readonly value: Expr | null;
}
export interface Branch extends Node {
  readonly kind: 'break' | 'continue' | 'pass';
}
export interface LoadBinding extends Node {
  /** The name in the other module. */
  readonly from: string;
  /** The name it gets here. */
  readonly ident: Ident;
}
export interface Load extends Node {
  readonly kind: 'load';
  readonly module: string;
  readonly moduleStart: number;
  readonly bindings: readonly LoadBinding[];
}

export type Stmt = ExprStmt | Assign | AugAssign | Def | If | For | While | Return | Branch | Load;

export interface FileNode extends Node {
  readonly body: readonly Stmt[];
  /** Resolver: the module's own scope. */
  scope?: FunctionScope;
}
