/**
 * What a rule of the table is: data that says by which keywords it is found and what must stand there. The rows are short
 * because there are many; `table.ts` makes rules of them when the first text is looked at.
 */

/** A part of a text that holds a secret, and the rule that says so. */
export interface Found {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A token that can be told by its looks: id, what it is, its shape. The literal beginnings of the shape are its keywords.
 */
export type TokenRow = readonly [id: string, what: string, shape: string, more?: TokenOptions];

export interface TokenOptions {
  /** A class that stands before the keyword as part of the token, and how often: `['[0-9]', 8, 10]`. */
  readonly before?: readonly [members: string, min: number, max: number];
  /** How much of the beginning is no secret and stays: the `sig=` of an address. */
  readonly keep?: number;
  /** The rest must not read like words; for shapes that names of things can have. */
  readonly drawn?: boolean;
  /** Bits a character that the rest must have at least; for shapes that ordinary text can have. */
  readonly entropy?: number;
}

/**
 * A token without looks of its own, told by the name it is given to: id, what it is, words of that name, the shape of the
 * whole value.
 */
export type TokenByNameRow = readonly [id: string, what: string, names: readonly string[], shape: string];

/** A secret told by what stands around it. */
export interface PlaceRule {
  readonly id: string;
  readonly what: string;
  readonly keywords: readonly string[];
  /** Looks at one place where a keyword begins; says where secrets are, as pairs of start and end. */
  readonly look: (text: string, at: number) => readonly Span[];
}

export type Span = readonly [start: number, end: number];

export const NOTHING: readonly Span[] = [];
