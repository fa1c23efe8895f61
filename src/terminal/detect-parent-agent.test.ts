import { describe, expect, it } from 'vitest';
import { parentAgent } from './detect-parent-agent.ts';

const PROC: Readonly<Record<string, string>> = {
  '/proc/30/cmdline': '/bin/bash\0-c\0codex is a word here\0',
  '/proc/30/stat': '30 (ba) s (h) S 20 30 30 0',
  '/proc/20/cmdline': 'node\0/opt/n/@google/gemini-cli/bundle/gemini.js\0-p\0',
  '/proc/20/stat': '20 (node) S 10 20 20 0',
  '/proc/40/cmdline': '-zsh\0',
  '/proc/40/stat': '40 (zsh) S 1 40 40 0',
};
const read = (file: string) => PROC[file] ?? null;

describe('an agent around this command', () => {
  it('is known by its variable', () => {
    expect(parentAgent({ CLAUDECODE: '1' }, 40, read)).toBe('Claude Code');
    expect(parentAgent({ CLAUDECODE: '' }, 40, read)).toBe(null);
  });

  it('is known by the program that started the shell, however far above', () => {
    expect(parentAgent({}, 30, read)).toBe('Gemini CLI');
  });

  it('is not there for a person, nor where nothing can be seen', () => {
    expect(parentAgent({}, 40, read)).toBe(null);
    expect(parentAgent({}, 99, () => null)).toBe(null);
  });
});
