/**
 * The TypeScript samples of the documents, and what each takes as given: names that are the reader's own. A sample is known
 * by its page and its number on it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './entry-points.ts';

export interface Sample {
  /** `docs/guide/embed.md 2` */
  readonly id: string;
  readonly code: string;
  /** What stands below it as its output. */
  readonly prints: string | null;
}

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path).replaceAll('\\', '/'))
    .sort(),
];

const BLOCK = /^```ts\n([\s\S]*?)^```$(?:\n\n```output\n([\s\S]*?)^```$)?/gm;

export const SAMPLES: readonly Sample[] = PAGES.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK)].map(([, code, prints], i) => ({
    id: `${page} ${i + 1}`,
    code: code!,
    prints: prints ?? null,
  })),
);

const PROVIDER = `import { scriptedProvider as scripted } from 'harness-hooks/agent';
const provider = scripted({ completions: [{ text: 'done' }, { text: 'done' }] });`;
const A_SESSION = `import { Session as AnySession } from 'harness-hooks/agent';
const session = new AnySession({ provider, config: { oneShot: false } });`;

/** Programs of the examples that decide; `file` is where such a program stands, without its ending. */
export const DECIDING_EXAMPLES = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.mjs'))
  .map((path) => join('examples', path).replaceAll('\\', '/'))
  .sort()
  .map((id) => ({ id, code: readFileSync(join(ROOT, id), 'utf8'), file: id.replace(/\.mjs$/, '-guarded') }))
  .filter(({ code }) => code.includes('.decide('));

/** Put before the sample. */
export const GIVEN: Readonly<Record<string, string>> = {
  'docs/frontends/others.md 1': `const askOnTheTerminal = async (_tool: string) => false;
const vault = new Map([['key', 'value']]);`,
  'docs/frontends/code.md 3': `const redact = (text: string) => text;`,
  'docs/guide/sessions.md 1': PROVIDER,
  'docs/guide/sessions.md 2': PROVIDER,
  'docs/guide/embed.md 2': `const askInTheChat = async (_question: string) => process.env.PERSON_SAYS !== 'no';`,
  'docs/guide/permissions.md 1': `${PROVIDER}
const askInTheChat = async (_question: string, _input: unknown, _signal: AbortSignal) => true;`,
  'docs/guide/sessions.md 4': `${PROVIDER}\n${A_SESSION}`,
  'docs/guide/sessions.md 5': `${PROVIDER}\n${A_SESSION}`,
  'docs/guide/sessions.md 6': `${PROVIDER}
const inbox = { take: () => undefined };
const { signal } = new AbortController();`,
  'docs/guide/sessions.md 7': `const log = (_entry: unknown) => {};
const refresh = async (_path: string, _signal: AbortSignal) => ({});`,
  'docs/guide/tracing.md 1': `${PROVIDER}
const send = (_span: unknown) => {};`,
  'docs/reference/harness-md.md 1': PROVIDER,
  'docs/reference/tool-artifact.md 1': `${PROVIDER}
const tickets = { find: async (id: string, _more: { depth: number; signal: AbortSignal }) => ({ id }) };`,
};
