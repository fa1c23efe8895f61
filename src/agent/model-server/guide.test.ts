import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseServerScript } from './script-file.ts';
import { SIDE_RULES } from './side-requests.ts';

const [, guide = ''] = readFileSync(
  new URL('../../../docs/guide/providers.md', import.meta.url),
  'utf8',
).split('## A scripted model');

describe('the guide to the scripted model', () => {
  const examples = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml]) => yaml!);

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(2);
  });

  it.each(examples)('shows a script that is one: %s', (yaml) => {
    expect(parseServerScript(yaml, 'example.yaml')).toMatchObject({ ok: true });
  });

  it.each(SIDE_RULES)('names the side rule $name', ({ name }) => {
    expect(guide).toContain(`\`${name}\``);
  });
});
