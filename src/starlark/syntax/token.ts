/**
 * The vocabulary of the scanner. The kind of a token is the text by which messages call it, so that an error can be
 * put together from kinds alone.
 */

/** The words of a text, as a union. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

const KEYWORDS = 'and break continue def elif else for if in lambda load not or pass return while';

/**
 * Words with no meaning that may not be names either. `assert` is reserved by the specification as well, but the
 * test suites of the reference implementations are written with a module of that name, so it is an identifier here.
 */
const RESERVED =
  'as async await class del except finally from global import is nonlocal raise try with yield';

const OPERATORS = '+ - * / // % ** ~ & | ^ << >> . , = ; : ( ) [ ] { } < > >= <= == !=';
const ASSIGNMENTS = '+= -= *= /= //= %= &= |= ^= <<= >>=';

export type Keyword = Words<typeof KEYWORDS>;
export type ReservedWord = Words<typeof RESERVED>;
export type Punctuation = Words<typeof OPERATORS> | Words<typeof ASSIGNMENTS>;
export type LiteralKind = 'int literal' | 'float literal' | 'string literal' | 'bytes literal';
export type TokenKind =
  | Keyword
  | ReservedWord
  | Punctuation
  | LiteralKind
  | 'identifier'
  /** Put together by the parser from `not` and `in`. */
  | 'not in'
  | 'newline'
  | 'indent'
  | 'outdent'
  | 'end of file'
  /** Text that is no token. The scanner has reported it already. */
  | 'illegal token';

/** Keywords and reserved words by their text. */
export const WORDS: ReadonlyMap<string, Keyword | ReservedWord> = new Map(
  `${KEYWORDS} ${RESERVED}`.split(' ').map((word) => [word, word as Keyword | ReservedWord]),
);

const PUNCTUATION: ReadonlySet<string> = new Set(`${OPERATORS} ${ASSIGNMENTS}`.split(' '));

/** The name of a kind in a message: punctuation in quotes, everything else plain. */
export function describe(kind: TokenKind): string {
  return PUNCTUATION.has(kind) ? `'${kind}'` : kind;
}

/** What a reader coming from Python most likely wanted, by the word that cannot stand where it was found. */
export const HINTS: ReadonlyMap<string, string> = new Map([
  ['import', 'use load'],
  ['from', 'use load'],
  ['class', 'there are no classes'],
  ['try', 'errors cannot be caught'],
  ['except', 'errors cannot be caught'],
  ['raise', 'use fail'],
  ['is', 'use =='],
  ['with', 'there is no with statement'],
  ['yield', 'there are no generators'],
  ['global', 'a function cannot bind a global'],
  ['nonlocal', 'a function cannot bind a variable outside it'],
  ['del', 'use pop'],
  ['**', 'there is no power operator'],
  ['async', 'every function may wait'],
  ['await', 'calls wait by themselves'],
]);
