/**
 * The text of one generated function while it is written: lines, temporaries, loops that are open.
 *
 * Variables of the script are `let`s that nothing but its own statements assign, so the name of a variable is
 * a stable operand; temporaries are reused from statement to statement.
 */
import type { Expr } from '../../syntax/ast.ts';
import type { FunctionInfo } from '../analyze.ts';
import type { Unit } from './unit.ts';

export class Body {
  readonly unit: Unit;
  readonly info: FunctionInfo;
  readonly lines: string[] = [];
  /** Cursor variables of the `for` loops around the current place, outermost first. */
  readonly loops: string[] = [];
  /** Where the operands of the formula that is being written are held, null outside of one. */
  formula: Map<Expr, string> | null = null;
  private temps = 0;
  private maxTemps = 0;
  private maxLoops = 0;

  constructor(unit: Unit, info: FunctionInfo) {
    this.unit = unit;
    this.info = info;
  }

  /** The place that stands for the inside of a built-in called at an offset; see `unwind`. */
  insideBuiltin(offset: number, name: string): number {
    this.unit.code(this.info).builtins.set(offset, name);
    return ~offset;
  }

  line(text: string): void {
    this.lines.push(this.unit.count(text));
  }

  temp(): string {
    const name = `t${this.temps++}`;
    this.maxTemps = Math.max(this.maxTemps, this.temps);
    return name;
  }

  /** Writes a statement; temporaries it took are free again afterwards. */
  statement(write: () => void): void {
    const mark = this.temps;
    write();
    this.temps = mark;
  }

  /** A temporary that holds the value, or the text itself where it is an operand already. */
  hold(value: string): string {
    return isAtom(value) ? value : this.copy(value);
  }

  /** A temporary of its own, which keeps the value while variables change. */
  copy(value: string): string {
    const temp = this.temp();
    this.line(`${temp} = ${value};`);
    return temp;
  }

  /** Opens a loop; its variable keeps what must be closed, also by the handler around the whole function. */
  openLoop(): string {
    const name = `c${this.loops.length}`;
    this.loops.push(name);
    this.maxLoops = Math.max(this.maxLoops, this.loops.length);
    return name;
  }

  closeLoop(): void {
    const name = this.loops.pop()!;
    this.line(`${this.unit.helper('close')}(${name}); ${name} = null;`);
  }

  /** Declarations of everything the function used. */
  locals(): string[] {
    return [
      ...Array.from({ length: this.maxTemps }, (_, i) => `t${i}`),
      ...Array.from({ length: this.maxLoops }, (_, i) => `c${i} = null`),
    ];
  }

  /** What the handler does with loops an error has left open. */
  closeAll(): string {
    const close = this.unit.helper('close');
    return Array.from({ length: this.maxLoops }, (_, i) => `if (c${i} !== null) ${close}(c${i}); `).join('');
  }
}

/** A variable, a temporary, a constant: may be written twice, and evaluating it has no effect. */
export function isAtom(text: string): boolean {
  if (text === 'void 0') return true;
  const isNegative = text.startsWith('(-');
  const end = isNegative ? text.length - 1 : text.length;
  // Not a regular expression: most texts are short, and compiling one is a good part of a first translation.
  for (let i = isNegative ? 2 : 0; i < end; i++) if (!isNameUnit(text.charCodeAt(i))) return false;
  return end > 0;
}

/** A letter, a digit or an underscore. */
function isNameUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95
  );
}
