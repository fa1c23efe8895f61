/** Colours for the scripts in front matter, which are plain text to YAML: words, constants, texts and comments of Starlark. */
import { type Extension, RangeSetBuilder, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view';
import { WORDS } from '../src/starlark/syntax/token.ts';

const COLOURS = {
  comment: 'quiet',
  text: 'allow',
  constant: 'ask',
  word: 'modify',
  call: 'link',
  plain: 'ink',
};
const MARKS = new Map(Object.keys(COLOURS).map((kind) => [kind, Decoration.mark({ class: `star-${kind}` })]));
const TOKEN = new RegExp(
  [
    '(?<comment>#.*)',
    `(?<text>"(?:\\\\.|[^"\\\\])*"?|'(?:\\\\.|[^'\\\\])*'?)`,
    '(?<constant>\\b(?:None|True|False|\\d[\\w.]*)\\b)',
    `(?<word>\\b(?:${[...WORDS.keys()].join('|')})\\b)`,
    '(?<call>\\b[A-Za-z_]\\w*(?=\\())',
    `(?<plain>[^#"'\\w]+|\\w+)`,
  ].join('|'),
  'g',
);
const KEY = /^(\s*)(?:script|when):/;
const LONGEST = 500;

/** Hooks are short: all of it is looked at. What a line begins as decides, so texts over several lines have no colour. */
function colourOf(doc: Text): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  /** How far the key stands in whose block a line is. */
  let key: number | null = null;
  for (let number = 1; number <= doc.lines; number++) {
    const { from, text } = doc.line(number);
    if (number > 1 && /^---\s*$/.test(text)) break;
    const found = KEY.exec(text);
    const indent = text.search(/\S/);
    if (key !== null && indent !== -1 && indent <= key) key = null;
    const start = key === null ? (found?.[0].length ?? null) : 0;
    if (found !== null && key === null) key = found[1]!.length;
    if (start === null) continue;
    // The sign of a block is YAML's.
    if (start > 0 && /^\s*[|>][-+\d]*\s*$/.test(text.slice(start))) continue;
    for (const { index, groups = {}, 0: token } of text.slice(start, LONGEST).matchAll(TOKEN)) {
      const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
      const at = from + start + index;
      marks.add(at, at + token.length, MARKS.get(kind ?? 'plain')!);
    }
  }
  return marks.finish();
}

export const scriptColours: Extension = [
  ViewPlugin.define(
    (view) => ({
      marks: colourOf(view.state.doc),
      update({ docChanged, state }) {
        if (docChanged) this.marks = colourOf(state.doc);
      },
    }),
    { decorations: ({ marks }) => marks },
  ),
  EditorView.theme(
    Object.fromEntries(
      Object.entries(COLOURS).map(([kind, colour]) => [
        `.star-${kind}, .star-${kind} *`,
        { color: `var(--${colour})` },
      ]),
    ),
  ),
];
