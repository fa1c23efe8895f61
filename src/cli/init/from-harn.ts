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
    return [{ event, name, module, where: `${module}.harn ${name}`, pattern: textAt(table, 'pattern') }];
  });
}

function textAt(table: string, key: string): string | null {
  const line = table.split('\n').find((each) => each.trim().startsWith(key));
  return line === undefined ? null : (/=\s*["']([^"']*)["']/.exec(line)?.[1] ?? null);
}

const CALL = /\bregister_(tool|session|persona|step)_hook\s*\(/g;
const TOOL_EVENTS = { pre: 'PreToolUse', post: 'PostToolUse', deny: 'PreToolUse', max_output: 'PostToolUse' };

/** Closures that the code registers itself: named by where they stand. */
function inCode(source: string): HarnHandler[] {
  return readdirSync(source)
    .filter((name) => name.endsWith('.harn'))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(source, file), 'utf8');
      const module = file.replace(/\.harn$/, '');
      return [...text.matchAll(CALL)].flatMap((call) => {
        const rest = text.slice(call.index, call.index + 400);
        const line = text.slice(0, call.index).split('\n').length;
        const at = { module, where: `${file}:${line}` };
        return eventsOf(call[1]!, rest).map((event) => ({
          ...at,
          event,
          name: `${event.replace(/\W+/g, '_').toLowerCase()}_at_${line}`,
          pattern: /pattern\s*:\s*"([^"]*)"/.exec(rest)?.[1] ?? null,
        }));
      });
    });
}

function eventsOf(kind: string, text: string): string[] {
  if (kind === 'tool') {
    const keys = Object.entries(TOOL_EVENTS).filter(([key]) => new RegExp(`\\b${key}\\s*:`).test(text));
    return [...new Set(keys.map(([, event]) => event))];
  }
  const words = [...text.matchAll(/"([^"]*)"/g)].map(([, word]) => word!);
  const place = { session: 0, persona: 1, step: 2 }[kind] ?? 0;
  return [words[place] ?? '?'];
}

/** Fails until it is filled in: a handler that allows by mistake would be a guard silently off. */
export function skeletonFor({ name, event, where, pattern }: HarnHandler): string {
  return `# ${event}${pattern === null ? '' : ` (pattern ${JSON.stringify(pattern)})`}, from ${where}.
# Return None to allow; {"block": True, "reason": "…"} to stop a session event; {"deny": "…"} or {"args": {…}} before a tool.
def ${name}(event):
    fail("${where} is not translated yet")

`;
}
