/** Secrets of Kubernetes: what stands below `data:` is base64 and no name says so, in YAML and in JSON, before `kind:` or behind it. */
import { isPlaceholder } from '../placeholders.ts';
import { NOTHING, type PlaceRule, type Span } from '../rule.ts';

export const KUBERNETES_RULES: readonly PlaceRule[] = [
  {
    id: 'kubernetes-secret',
    what: 'Value of a Secret of Kubernetes',
    keywords: ['kind: secret', 'kind: "secret"', '"kind":"secret"', '"kind": "secret"'],
    look: valuesAround,
  },
];

/** A manifest is not longer than this on either side of its kind. */
const REACH = 4000;
const KIND = /(?:kind: "?|"kind": ?")Secret(?:"|\s|$)/y;
/** What ends the stretch that belongs to one of them, so that many are read once each. */
const PARTINGS = {
  yaml: ['\n---', 'kind: Secret', 'kind: "Secret'],
  json: ['"kind":"Secret', '"kind": "Secret'],
} as const;
const BLOCK = /(?:^|\n)( *)(?:data|stringData):[ \t]*(?:#[^\n]*)?((?:\r?\n(?:\1 +[^\n]*|[ \t]*(?=\n)))+)/g;
const LINE = /^ *["']?[\w.-]{1,253}["']?:[ \t]+["']?([^\s"']{4,4000})["']?[ \t]*\r?$/gm;
const OBJECT = /"(?:data|stringData)"\s{0,4}:\s{0,4}\{([^{}]{1,8000})\}/g;
const MEMBER = /"[\w.-]{1,253}"\s{0,4}:\s{0,40}"([^"\\\s]{4,4000})"/g;

function valuesAround(text: string, at: number): readonly Span[] {
  KIND.lastIndex = at;
  if (!KIND.test(text)) return NOTHING;
  const isJson = text[at] === '"';
  const [from, to] = around(text, at, PARTINGS[isJson ? 'json' : 'yaml']);
  const manifest = text.slice(from, to);
  const [blocks, lines] = isJson ? [OBJECT, MEMBER] : [BLOCK, LINE];
  return [...manifest.matchAll(blocks)].flatMap((block) => {
    const body = block.at(-1)!;
    const start = from + block.index + block[0].lastIndexOf(body);
    return [...body.matchAll(lines)].flatMap((line): Span[] => {
      const value = line[1]!;
      const begins = start + line.index + line[0].lastIndexOf(value);
      return isPublic(value) ? [] : [[begins, begins + value.length]];
    });
  });
}

/** The stretch around a place up to the next partings. */
function around(text: string, at: number, partings: readonly string[]): Span {
  const from = Math.max(0, at - REACH);
  const before = text.slice(from, at);
  const behind = text.slice(at + 1, at + REACH);
  const starts = partings.map((parting) => from + before.lastIndexOf(parting) + 1);
  const ends = partings.map((parting) => behind.indexOf(parting)).filter((found) => found !== -1);
  return [Math.max(from, ...starts), at + 1 + Math.min(behind.length, ...ends)];
}

/** A certificate is for everybody, and what stands in for a value is none. */
function isPublic(value: string): boolean {
  if (isPlaceholder(value) || /^LS0tLS1CRUdJTi(?:BDRVJU|BQVUJM)/.test(value)) return true;
  return (
    /^[A-Za-z0-9+/]+={0,2}$/.test(value) &&
    isPlaceholder(atob(value.slice(0, value.length - (value.length % 4))))
  );
}
