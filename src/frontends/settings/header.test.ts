import { describe, expect, it } from 'vitest';
import { parseHeader } from './header.ts';

describe('the header of a script [C147]', () => {
  const expected = {
    hook: 'Guard',
    event: 'PreToolUse',
    description: 'Keeps root safe',
    matcher: 'tool_name = "Bash"',
  };

  it.each([
    ['TypeScript', '//', '#!/usr/bin/env bun\n', ''],
    ['shell and Python', '#', '#!/bin/sh\n\n', ''],
    ['a block comment', ' *', '/**\n', '\n */'],
  ])('in %s', (_name, mark, before, after) => {
    const lines = [
      'Hook: Guard',
      'Event: PreToolUse',
      'Description: Keeps root safe',
      'Matcher: tool_name = "Bash"',
    ];
    expect(parseHeader(before + lines.map((line) => `${mark} ${line}`).join('\n') + after)).toEqual(expected);
  });

  it('ends at the first line of code', () => {
    expect(parseHeader('// Hook: Guard\nrun();\n// Event: Stop\n')).toEqual({ hook: 'Guard' });
  });

  it('may be missing', () => {
    expect(parseHeader('import x from "y";\n')).toEqual({});
    expect(parseHeader('')).toEqual({});
  });
});
