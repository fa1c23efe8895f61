/**
 * Expands words: what a program gets as arguments, as far as it can be known without running anything. Substitutions are
 * walked on the way, so that the commands in them are named even if their output is not known.
 */
import { MOST_ALTERNATIVES, MOST_NODES } from '../bounds.ts';
import type { Frame, Run } from '../run/run.ts';
import type { State } from '../run/state.ts';
import { processOutput, substituted } from '../run/substitute.ts';
import type { ParamPart, Part, TildePart, Word } from '../syntax/tree.ts';
import { evaluateArithmetic } from './arithmetic.ts';
import { expandBraces } from './braces.ts';
import { parameter } from './parameters.ts';
import {
  type Alt,
  certain,
  type Field,
  joinRanges,
  number,
  type Ranges,
  tooLong,
  UNTAINTED,
  unknownField,
  type Value,
} from './values.ts';

/** Where words are expanded. */
export interface Scope {
  readonly run: Run;
  readonly state: State;
  readonly frame: Frame;
}

/** Words being put together: those that are done, and the one that is open. */
interface Draft {
  fields: Field[];
  text: string;
  /** There even if it is empty. */
  started: boolean;
  known: boolean;
  glob: boolean;
  many: boolean;
  tilde: boolean;
  from: Ranges;
}

const GLOB = /[*?[]/;
/** Stands for a value that has become too long. */
const LONG = '$()';

/** All the lists of words they may come out as. */
export function expandWords(scope: Scope, words: readonly Word[]): Field[][] {
  let lists: Field[][] = [[]];
  const declares = words.length > 1 && DECLARING.has(words[0]!.text);
  for (const word of words) {
    if (word.parts === null) {
      const field = literalField(word);
      for (const list of lists) list.push(field);
      continue;
    }
    const alternatives =
      declares && ASSIGNMENT.test(word.text) ? declared(scope, word) : expandWord(scope, word);
    if (alternatives.length === 1) {
      for (const list of lists) for (const field of alternatives[0]!) list.push(field);
    } else if (alternatives.length * lists.length > MOST_ALTERNATIVES) {
      const many = alternatives.some((each) => each.length !== 1);
      const field = unknownField(word.text, many, rangesOf(alternatives));
      for (const list of lists) list.push(field);
    } else lists = lists.flatMap((list) => alternatives.map((each) => [...list, ...each]));
  }
  return lists;
}

/** `export x=$y` assigns: what is put in is not divided. Older kinds of sh do divide it. */
const DECLARING: ReadonlySet<string> = new Set(['export', 'readonly', 'local', 'declare', 'typeset']);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

function declared(scope: Scope, word: Word): Field[][] {
  const certain = scope.frame.dialect.name !== 'dash';
  return expandParts(scope, word.parts!, false).map((draft) => {
    const field = fieldOf(draft);
    return [
      { ...field, glob: false, many: false, known: field.known && (certain || !/\s/.test(field.text)) },
    ];
  });
}

function rangesOf(alternatives: readonly (readonly Field[])[]): Ranges {
  return alternatives.flat().reduce<Ranges>((all, field) => joinRanges(all, field.from), UNTAINTED);
}

function literalField(word: Word): Field {
  return { text: word.text, known: true, glob: word.glob, many: word.glob, tilde: false, from: UNTAINTED };
}

function expandWord(scope: Scope, word: Word): Field[][] {
  if (!word.brace) return expandParts(scope, word.parts!).map(fieldsOf);
  const words = expandBraces(word.parts!);
  if (words === null) {
    // The substitutions in it run all the same.
    expandParts(scope, word.parts!);
    return [[unknownField(word.text, true)]];
  }
  let lists: Field[][] = [[]];
  for (const parts of words) {
    const alternatives = expandParts(scope, parts).map(fieldsOf);
    if (alternatives.length * lists.length > MOST_ALTERNATIVES) return [[unknownField(word.text, true)]];
    lists = lists.flatMap((list) => alternatives.map((each) => [...list, ...each]));
  }
  return lists;
}

/** What it is as one text: an assigned value, the target of a redirection, a here-document. */
export function expandValue(scope: Scope, word: Word): Value {
  if (word.parts === null) {
    return { alts: [{ text: word.text, known: true }], numeric: false, from: UNTAINTED };
  }
  const drafts = expandParts(scope, word.parts, false);
  const only = word.parts.length === 1 ? word.parts[0]! : null;
  const numeric =
    only?.kind === 'arith' || (only?.kind === 'param' && (only.length || isNumeric(scope, only.name)));
  const alts: Alt[] = drafts.map(({ text, known }) => ({ text, known }));
  return {
    alts,
    numeric,
    from: drafts.reduce<Ranges>((all, draft) => joinRanges(all, draft.from), UNTAINTED),
  };
}

function isNumeric(scope: Scope, name: string): boolean {
  return '#?$!'.includes(name) || scope.state.get(name)?.value.numeric === true;
}

/** The target of a redirection, for paths: keeps whether it begins with a home folder. */
export function expandTarget(scope: Scope, word: Word): readonly Field[] {
  if (word.parts === null) return [literalField(word)];
  return expandParts(scope, word.parts, false).map((draft) => fieldOf(draft));
}

function expandParts(scope: Scope, parts: readonly Part[], splits = true): Draft[] {
  const empty: Draft = {
    fields: [],
    text: '',
    started: false,
    known: true,
    glob: false,
    many: false,
    tilde: false,
    from: UNTAINTED,
  };
  return addParts(scope, [empty], parts, splits);
}

function addParts(scope: Scope, drafts: Draft[], parts: readonly Part[], splits: boolean): Draft[] {
  let all = drafts;
  for (const part of parts) all = addPart(scope, all, part, splits);
  return all;
}

/** What stands behind an operator: its text is divided like a value. */
function addArgument(scope: Scope, drafts: Draft[], parts: readonly Part[], splits: boolean): Draft[] {
  let all = drafts;
  for (const part of parts) {
    if (part.kind === 'text' && !part.quoted && splits)
      for (const draft of all) addSplit(scope, draft, part.text);
    else all = addPart(scope, all, part, splits);
  }
  return all;
}

function addPart(scope: Scope, drafts: Draft[], part: Part, splits: boolean): Draft[] {
  switch (part.kind) {
    case 'text':
      for (const draft of drafts) addText(draft, part.text, part.quoted);
      return drafts;
    case 'tilde':
      return addValue(scope, drafts, homeOf(scope, part), true, splits, !part.later);
    case 'arith':
      return addValue(scope, drafts, evaluateArithmetic(scope, part), part.quoted, splits);
    case 'command':
      return addValue(scope, drafts, substituted(scope, part), part.quoted, splits);
    case 'process':
      return addValue(scope, drafts, processOutput(scope, part), true, splits);
    case 'param':
      return addParameter(scope, drafts, part, splits);
  }
}

function addText(draft: Draft, text: string, quoted: boolean): void {
  draft.text += text;
  draft.started ||= quoted || text !== '';
  if (!quoted && GLOB.test(text)) draft.glob = true;
}

function addParameter(scope: Scope, drafts: Draft[], part: ParamPart, splits: boolean): Draft[] {
  const found = parameter(scope, part);
  const results: Draft[] = [];
  if (found.list !== null) {
    for (const draft of drafts) results.push(addList(scope, draft, found.list, part, splits));
    return results;
  }
  if (found.value !== null) {
    const copies = found.argument ? drafts.map(copyOf) : drafts;
    // All of a variable may be several words, even in quotes.
    const many = !part.quoted || part.index?.text === '@';
    results.push(...addValue(scope, copies, found.value, part.quoted, splits, part.name === 'HOME', many));
  }
  if (found.argument && part.arg !== null) {
    results.push(...addArgument(scope, drafts.map(copyOf), part.arg.parts!, splits));
    // `"${x:-}"` is a word, though an empty one.
    if (part.quoted) for (const draft of results) draft.started = true;
  }
  return fewEnough(results, `\${${part.name}}`);
}

function addList(
  scope: Scope,
  draft: Draft,
  list: readonly Field[],
  part: ParamPart,
  splits: boolean,
): Draft {
  if (!splits || (part.quoted && (part.name === '*' || part.index?.text === '*'))) {
    // One word, joined by the first character of IFS.
    const plain = scope.state.get('IFS') === undefined;
    list.forEach((field, i) => {
      addText(draft, `${i > 0 ? ' ' : ''}${field.text}`, true);
      draft.known &&= field.known && !field.many && plain;
      draft.from = joinRanges(draft.from, field.from);
    });
    draft.started ||= part.quoted;
    return draft;
  }
  // `"$@"` without arguments is no word at all.
  if (list.length === 0 && part.quoted && draft.text === '') draft.started = false;
  list.forEach((field, i) => {
    if (i > 0) endField(draft);
    if (part.quoted || !field.known) {
      addText(draft, field.text, true);
      draft.known &&= field.known;
      draft.many ||= field.many || !part.quoted;
      draft.glob ||= field.glob;
      draft.from = joinRanges(draft.from, field.from);
    } else addSplit(scope, draft, field.text);
  });
  return draft;
}

function addValue(
  scope: Scope,
  drafts: Draft[],
  value: Value,
  quoted: boolean,
  splits: boolean,
  tilde = false,
  many = !quoted,
): Draft[] {
  const several = value.alts.length > 1;
  const results: Draft[] = [];
  for (const draft of drafts) {
    for (const alt of value.alts) {
      const next = several ? copyOf(draft) : draft;
      if (tilde && next.text === '') next.tilde = true;
      next.from = joinRanges(next.from, value.from);
      if (!alt.known) {
        addText(next, alt.text, true);
        next.known = false;
        if (many && !value.numeric) next.many = true;
      } else if (quoted || !splits) addText(next, alt.text, quoted || !splits);
      else addSplit(scope, next, alt.text);
      if (tooLong(next.text)) {
        next.text = LONG;
        next.known = false;
      }
      results.push(next);
    }
  }
  return several ? fewEnough(results, value.alts[0]!.text) : results;
}

/** A value outside of quotes: blanks in it divide words, patterns in it are patterns. */
function addSplit(scope: Scope, draft: Draft, text: string): void {
  if (!scope.frame.dialect.splits) {
    if (text !== '') addText(draft, text, true);
    return;
  }
  const own = scope.state.get('IFS');
  if (own !== undefined) {
    const signs = certain(own.value);
    // A sign at the end also ends the word for what follows.
    if (
      signs !== null &&
      signs !== '' &&
      !/[\s\\\]^-]/.test(signs) &&
      !signs.includes(text.slice(-1) || signs)
    ) {
      addBetween(draft, text, signs);
      return;
    }
    // Where another IFS divides it is not followed.
    if (text === '') return;
    addText(draft, text, true);
    draft.known = false;
    draft.many = true;
    return;
  }
  if (!/[ \t\n]/.test(text)) {
    if (text !== '') addText(draft, text, false);
    return;
  }
  const pieces = text.split(/[ \t\n]+/);
  scope.run.shared.nodes += pieces.length;
  if (scope.run.shared.nodes > MOST_NODES) {
    scope.run.error('limit', `more than ${MOST_NODES} words and commands`, 0);
    draft.many = true;
    draft.known = false;
    return;
  }
  pieces.forEach((piece, i) => {
    if (i > 0) endField(draft);
    if (piece !== '') addText(draft, piece, false);
  });
}

/** Divided at each of the signs, none of which is a blank: between two of them is an empty word. */
function addBetween(draft: Draft, text: string, signs: string): void {
  draft.started = true;
  for (const char of text) {
    if (signs.includes(char)) {
      endField(draft);
      draft.started = true;
    } else addText(draft, char, false);
  }
}

/** Closes the open word, if there is one. */
function endField(draft: Draft): void {
  if (draft.started || draft.text !== '') draft.fields.push(fieldOf(draft));
  draft.text = '';
  draft.started = false;
  draft.known = true;
  draft.glob = false;
  draft.many = false;
  draft.tilde = false;
  draft.from = UNTAINTED;
}

function fieldOf({ text, known, glob, many, tilde, from }: Draft): Field {
  return { text, known, glob, many: many || glob, tilde, from };
}

function fieldsOf(draft: Draft): Field[] {
  endField(draft);
  return draft.fields;
}

function copyOf(draft: Draft): Draft {
  return { ...draft, fields: [...draft.fields] };
}

/** With too many ways to go on, one that is not known stands for all. */
function fewEnough(drafts: Draft[], label: string): Draft[] {
  if (drafts.length <= MOST_ALTERNATIVES) return drafts;
  const [first] = drafts;
  const field = unknownField(label, true, first!.from);
  return [{ ...first!, fields: [field], text: '', started: false, known: false, many: true }];
}

function homeOf(scope: Scope, { name, later }: TildePart): Value {
  const unsure = (text: string): Value => ({
    alts: [{ text, known: false }],
    numeric: false,
    from: UNTAINTED,
  });
  if (later) return unsure('~');
  if (name === '') {
    const set = scope.state.get('HOME');
    if (set !== undefined) return set.value;
    return { alts: [{ text: scope.run.home ?? '~', known: true }], numeric: false, from: UNTAINTED };
  }
  if (name === '+' || name === '-') return unsure(`~${name}`);
  // Whose home it is depends on the machine; the name says enough.
  return /^\d/.test(name) ? number(`~${name}`) : unsure(`~${name}`);
}
