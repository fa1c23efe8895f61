/**
 * The handlers of a Harn project, found in its manifest and in its code without running anything, and what each would begin with in
 * Starlark.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface HarnHandler {
  readonly event: string;
  readonly name: string;
  /** Without its ending. */
  readonly module: string;
  /** For people: `policy.harn:12`. */
  readonly where: string;
  readonly pattern: string | null;
  /** The manifest names it already. */
  readonly declared: boolean;
  /** Its body in Starlark where the call says all of it, such as a `deny` without a closure. */
  readonly body?: string;
}

export function harnHandlers(source: string): HarnHandler[] {
  return [...inManifest(source), ...inCode(source)];
}

const TABLE = /\[\[\s*hooks\s*\]\]([\s\S]*?)(?=\n\s*\[|$)/g;

/** Handlers whose module is Harn code and nothing else. */
function inManifest(source: string): HarnHandler[] {
  const text = readFileSync(join(source, 'harn.toml'), 'utf8');
  return [...text.matchAll(TABLE)].flatMap(([, table = '']) => {
    const [module, name] = (textAt(table, 'handler') ?? '').split('::');
    if (!module || !name || !existsSync(join(source, `${module}.harn`))) return [];
    const event = textAt(table, 'event') ?? '?';
    return [
      {
        event,
        name,
        module,
        where: `${module}.harn ${name}`,
        pattern: textAt(table, 'pattern'),
        declared: true,
      },
    ];
  });
}

function textAt(table: string, key: string): string | null {
  const line = table.split('\n').find((each) => each.trim().startsWith(key));
  return line === undefined ? null : (/=\s*["']([^"']*)["']/.exec(line)?.[1] ?? null);
}

const CALL = /\bregister_(tool|session|persona|step)_hook\s*\(/g;

/** Closures that the code registers itself: named by where they stand. */
function inCode(source: string): HarnHandler[] {
  return readdirSync(source)
    .filter((name) => name.endsWith('.harn'))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(source, file), 'utf8');
      const module = file.replace(/\.harn$/, '');
      return [...text.matchAll(CALL)].flatMap((call) => {
        const line = text.slice(0, call.index).split('\n').length;
        const said = argumentsAt(text, call.index + call[0].length);
        return REGISTERED[call[1] as keyof typeof REGISTERED](said).map((found) => ({
          module,
          where: `${file}:${line}`,
          name: `${found.event.replace(/\W+/g, '_').toLowerCase()}_at_${line}`,
          declared: false,
          ...found,
        }));
      });
    });
}

/** What stands between the parentheses, texts with parentheses among it. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  const part = /"(?:[^"\\]|\\.)*"|[()]/g;
  part.lastIndex = start;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    if (found[0] === '(') depth++;
    if (found[0] === ')') depth--;
    if (depth === 0) return text.slice(start, found.index);
  }
  return text.slice(start);
}

type Registered = Pick<HarnHandler, 'event' | 'pattern' | 'body'>;

/** The texts before the closure. */
const wordsOf = (said: string) =>
  [...(said.split('{', 1)[0] ?? '').matchAll(/"([^"]*)"/g)].map(([, word]) => word!);

const REGISTERED: Readonly<
  Record<'tool' | 'session' | 'persona' | 'step', (said: string) => readonly Registered[]>
> = {
  tool: (said) => {
    const pattern = /\bpattern\s*:\s*"([^"]*)"/.exec(said)?.[1] ?? null;
    const deny = /\bdeny\s*:\s*("(?:[^"\\]|\\.)*")/.exec(said)?.[1];
    const most = /\bmax_output\s*:\s*(\d+)/.exec(said)?.[1];
    const has = (key: string) => new RegExp(`\\b${key}\\s*:`).test(said);
    return [
      ...(deny !== undefined
        ? [{ event: 'PreToolUse', pattern, body: `return {"deny": ${deny}}` }]
        : has('pre') || has('deny')
          ? [{ event: 'PreToolUse', pattern }]
          : []),
      ...(has('post') ? [{ event: 'PostToolUse', pattern }] : []),
      ...(most !== undefined && !has('post')
        ? [
            {
              event: 'PostToolUse',
              pattern,
              body: `return {"result": string.truncate(event["result"]["text"], ${most})}`,
            },
          ]
        : []),
    ];
  },
  session: (said) => {
    const [event = '?', pattern = null] = wordsOf(said);
    return [{ event, pattern }];
  },
  persona: (said) => {
    const [persona = '*', event = '?'] = wordsOf(said);
    return [{ event, pattern: persona === '*' ? null : `persona =~ "^${persona.replaceAll('*', '.*')}$"` }];
  },
  step: (said) => {
    const [persona = '*', step = '*', event = '?'] = wordsOf(said);
    return [{ event, pattern: `${persona}.${step}` }];
  },
};

/** The lines of the manifest that put a handler into force which the code had registered. */
export function entryFor({ event, pattern, module, name, where }: HarnHandler): string {
  const only = pattern === null ? '' : `pattern = ${JSON.stringify(pattern)}\n`;
  return `\n# Registered by ${where}.\n[[hooks]]\nevent = ${JSON.stringify(event)}\n${only}handler = "${module}::${name}"\n`;
}

/** Fails until it is filled in: a handler that allows by mistake would be a guard silently off. */
export function skeletonFor({ name, event, where, pattern, body }: HarnHandler): string {
  const about = `# ${event}${pattern === null ? '' : ` (pattern ${JSON.stringify(pattern)})`}, from ${where}.\n`;
  if (body !== undefined) return `${about}def ${name}(event):\n    ${body}\n\n`;
  return `${about}# Return None to allow; {"block": True, "reason": "…"} to stop a session event; {"deny": "…"} or {"args": {…}} before a tool.
def ${name}(event):
    fail("${where} is not translated yet")

`;
}
