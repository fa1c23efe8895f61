/** The text of a hook in colour, line by line: keys of the front matter, scripts in Starlark, headings of the prose below. */
import { WORDS } from '../src/starlark/syntax/token.ts';

export interface Part {
  readonly kind: 'key' | 'comment' | 'text' | 'constant' | 'word' | 'call' | 'heading' | 'plain';
  readonly text: string;
}

const TOKEN = new RegExp(
  [
    '(?<comment>#.*)',
    `(?<text>"(?:\\\\.|[^"\\\\])*"?|'(?:\\\\.|[^'\\\\])*'?)`,
    '(?<constant>\\b(?:None|True|False|true|false|null|\\d[\\w.]*)\\b)',
    `(?<word>\\b(?:${[...WORDS.keys()].join('|')})\\b)`,
    '(?<call>\\b[A-Za-z_]\\w*(?=\\())',
    `(?<plain>[^#"'\\w]+|\\w+)`,
  ].join('|'),
  'g',
);
const KEY = /^(\s*(?:- )?)([\w-]+)(:)(?=\s|$)/;
const IS_SCRIPT = /^(?:script|when)$/;
/** Of a longer line the rest is plain. */
const LONGEST = 500;

/** Hooks are short: all of it is looked at. What a line begins as decides, so texts over several lines have no colour. */
export function colouredLines(text: string): readonly (readonly Part[])[] {
  let inFront = false;
  /** How far the key stands in whose block of script a line is. */
  let script: number | null = null;
  return text.split('\n').map((line, at) => {
    if (/^---\s*$/.test(line) && (at === 0 || inFront)) {
      inFront = at === 0;
      return [{ kind: 'comment', text: line }];
    }
    if (!inFront) return [{ kind: /^#{1,6} /.test(line) ? 'heading' : 'plain', text: line }];
    const indent = line.search(/\S/);
    if (script !== null && indent !== -1 && indent <= script) script = null;
    if (script !== null) return tokens(line);
    const [head, before = '', key, colon] = KEY.exec(line) ?? [];
    if (key === undefined) return values(line);
    const isScript = IS_SCRIPT.test(key);
    if (isScript) script = before.length;
    const parts: Part[] = [{ kind: 'key', text: before + key }];
    return [
      ...parts,
      { kind: 'plain', text: colon! },
      ...(isScript ? tokens : values)(line.slice(head!.length)),
    ];
  });
}

/** Of YAML: its words are plain. */
function values(text: string): Part[] {
  return tokens(text).map((part) =>
    part.kind === 'word' || part.kind === 'call' ? { ...part, kind: 'plain' } : part,
  );
}

function tokens(text: string): Part[] {
  const parts = [...text.slice(0, LONGEST).matchAll(TOKEN)].map(({ groups = {}, 0: token }): Part => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) as Part['kind'];
    return { kind, text: token };
  });
  return text.length > LONGEST ? [...parts, { kind: 'plain', text: text.slice(LONGEST) }] : parts;
}
