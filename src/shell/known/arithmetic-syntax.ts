/**
 * Whether an arithmetic expression can be evaluated for certain. In bash an error in one ends the line it stands on, and the
 * next line runs with whatever was set before: `x=bad; : $((1/0)); x=good` and a line that runs `$x`.
 */

/** Stands for an expansion inside of the expression. */
export const EXPANSION = '\x01';

const TOKEN =
  /\s*(?:([0-9A-Za-z_\x01#@]+)(\[[^\]]*\])?|(\+\+|--)|(\*\*|<<=|>>=|[-+*/%&|^]=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^=,?:!~])|([()]))/y;
const NUMBER = /^(?:0[0-7]*|[1-9][0-9]{0,17}|0[xX][0-9a-fA-F]{1,15})$/;
const NAME = /^[A-Za-z_]\w*$/;
const ASSIGNING = /^(?:<<|>>|[-+*/%&|^])?=$/;
const MOST_TOKENS = 400;

/** `expansions`: whether what stands for an expansion is a number. */
export function isSound(text: string, expansions: boolean): boolean {
  let wantsOperand = true;
  let depth = 0;
  let questions = 0;
  let operator = '';
  let operand = '';
  let tokens = 0;
  TOKEN.lastIndex = 0;
  if (text.trim() === '') return true;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text);
    if (found === null || ++tokens > MOST_TOKENS) return false;
    const [, word, index, twice, sign, bracket] = found;
    if (word !== undefined) {
      if (!wantsOperand || !isOperand(word, index, expansions, operator)) return false;
      wantsOperand = false;
      operand = index === undefined ? word : '';
    } else if (twice !== undefined) {
      // Only a variable can be counted up.
      if (!wantsOperand && !NAME.test(operand)) return false;
      if (wantsOperand && !/^\s*[A-Za-z_]/.test(text.slice(TOKEN.lastIndex, TOKEN.lastIndex + 8)))
        return false;
    } else if (bracket === '(') {
      if (!wantsOperand || divides(operator)) return false;
      depth++;
      operator = '';
    } else if (bracket === ')') {
      if (wantsOperand || depth-- === 0) return false;
      operand = '';
    } else if (wantsOperand) {
      if (!/^[-+!~]$/.test(sign!) || divides(operator)) return false;
    } else {
      if (sign === '!' || sign === '~') return false;
      if (ASSIGNING.test(sign!) && (!NAME.test(operand) || !/^(?:|[,=?:]|.{1,2}=)$/.test(operator)))
        return false;
      if (sign === '?') questions++;
      if (sign === ':' && questions-- === 0) return false;
      wantsOperand = true;
      operator = sign!;
    }
  }
  return !wantsOperand && depth === 0 && questions === 0;
}

function divides(operator: string): boolean {
  return /^(?:[/%]=?|\*\*)$/.test(operator);
}

/** Numbers, names, expansions; behind a division only a number that is not zero. */
function isOperand(word: string, index: string | undefined, expansions: boolean, operator: string): boolean {
  if (index !== undefined && !/^\[\d{1,6}\]$/.test(index)) return false;
  if (divides(operator)) return NUMBER.test(word) && !/^0[xX]?0*$/.test(word);
  if (NUMBER.test(word) || NAME.test(word)) return true;
  return expansions && word === EXPANSION;
}
