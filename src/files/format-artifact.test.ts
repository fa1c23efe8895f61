/**
 * Markdown artifacts in one form: what ships is in it, and nothing but white space and quotes of a script or its front matter changes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../base/source.ts';
import { eventSpec } from '../engine/catalog.ts';
import { plainHook, tool, toolHook } from '../project/artifacts.ts';
import { formatFile } from '../starlark/format/format.ts';
import { formatArtifact } from './format-artifact.ts';

const ROOT = join(import.meta.dirname, '../..');

function shipped(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:^|\/)(?:hooks|tools|agents|plugins)\/[^/]+\.md$|harness\.md$|\.star$/.test(name))
    .map((name) => join(folder, name));
}

function formatted(path: string, text: string): string {
  const result = formatArtifact(path, text);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.text;
}

const HOOK = `---

event:   tool.pre
priority: 50   # late
when: payload["name"]=="write"   and   not payload["args"]


# what it does
script: |
    def handle(event,payload):
        # why
        if 'x' in payload: return block( 'no' )
        return allow( )
tests:
  - name: it   stays
    payload: {name: write, args: {text: "a   b"}}
    expect: allow
    

---
Body   text.  

    indented
`;

const AFTER = `---
event: tool.pre
priority: 50   # late
when: payload["name"] == "write" and not payload["args"]

# what it does
script: |
  def handle(event, payload):
      # why
      if "x" in payload:
          return block("no")
      return allow()
tests:
  - name: it   stays
    payload: {name: write, args: {text: "a   b"}}
    expect: allow
---
Body   text.  

    indented
`;

describe('an artifact', () => {
  it('gets its script and front matter in one form; its body stays', () => {
    expect(formatted('hook.md', HOOK)).toBe(AFTER);
    expect(formatted('hook.md', AFTER)).toBe(AFTER);
  });

  it('in a list too', () => {
    const listed = (script: string) =>
      `---\nhooks:\n  - handler: a\n    event: tool.pre\n    script: |\n${script}---\n`;
    const before = listed('        def handle(event, payload):\n          return allow()\n');
    expect(formatted('harness.md', before)).toBe(
      listed('      def handle(event, payload):\n          return allow()\n'),
    );
  });

  it('stays as it is where white space counts', () => {
    for (const text of [
      '---\nevent: x\nscript: "def handle(e,p):\\n  return allow()\\n"\n---\n',
      '---\nevent: x\nscript: |4\n        def handle(e,p):\n          return allow()\n---\n',
      '---\ndescription: >\n  two   lines  \n\n\n  of text\n---\n',
    ])
      expect(formatted('hook.md', text)).toBe(text);
  });

  it('that cannot be understood is named and left alone', () => {
    const result = formatArtifact('hook.md', '---\nscript: |\n  def handle(:\n---\n');
    expect(result).toMatchObject({ ok: false, problems: [{ position: { line: 3 } }] });
  });
});

describe('what ships is in form', () => {
  const files = [...shipped('examples'), ...shipped('src/cli/init/templates')];

  it(`${files.length} files of examples and templates`, () => {
    expect(files.length).toBeGreaterThan(50);
    for (const path of files) {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const result = path.endsWith('.star') ? formatFile(new SourceFile(path, text)) : null;
      expect(result === null ? formatted(path, text) : result.ok && result.text, path).toBe(text);
    }
  });

  it('and what `harness new` writes', () => {
    for (const text of [toolHook('tool.pre'), plainHook('turn.start', eventSpec('turn.start')!), tool()])
      expect(formatted('new.md', text)).toBe(text);
  });
});
