/**
 * The grammars of `editors/vscode`, written from the words of the language and the tables of built-ins, so that they cannot disagree
 * with them.
 */
import { TOOL_BUILTINS } from '../src/agent/tools/environment.ts';
import { UNIVERSE } from '../src/exports/starlark.ts';
import { HOOK_BUILTINS } from '../src/script/environment.ts';
import { WORDS } from '../src/starlark/syntax/token.ts';

const FOLDER = 'editors/vscode/syntaxes';

export function vscodeGrammars(): Map<string, string> {
  const text = (grammar: object) => `${JSON.stringify(grammar, null, 2)}\n`;
  return new Map([
    [`${FOLDER}/starlark.tmLanguage.json`, text(starlark())],
    [`${FOLDER}/harness-markdown.tmLanguage.json`, text(markdown())],
  ]);
}

const CONSTANTS = ['None', 'True', 'False'];

function starlark(): object {
  const words = (names: Iterable<string>) => [...new Set(names)].sort().join('|');
  const own = [...HOOK_BUILTINS.keys(), ...TOOL_BUILTINS.keys(), 'event', 'payload'];
  const functions = [...UNIVERSE.keys()].filter((name) => !CONSTANTS.includes(name));
  return {
    scopeName: 'source.starlark',
    name: 'Starlark',
    patterns: [
      { name: 'comment.line.number-sign.starlark', match: '#.*$' },
      ...['"""', "'''", '"', "'"].map(quoted),
      {
        name: 'constant.numeric.starlark',
        match: '\\b(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)',
      },
      { name: 'constant.language.starlark', match: `\\b(?:${CONSTANTS.join('|')})\\b` },
      {
        match: '\\b(def)\\s+([A-Za-z_][A-Za-z0-9_]*)',
        captures: { 1: { name: 'keyword.control.starlark' }, 2: { name: 'entity.name.function.starlark' } },
      },
      { name: 'keyword.control.starlark', match: `\\b(?:${words(WORDS.keys())})\\b` },
      { name: 'support.variable.starlark', match: `(?<!\\.)\\b(?:${words(own)})\\b` },
      { name: 'support.function.starlark', match: `(?<!\\.)\\b(?:${words(functions)})(?=\\s*\\()` },
      { name: 'keyword.operator.starlark', match: '[-+*/%&|^~<>=!]+' },
    ],
  };
}

function quoted(quote: string): object {
  return {
    name: `string.quoted.${quote.length === 3 ? 'triple' : quote === '"' ? 'double' : 'single'}.starlark`,
    begin: `(?:\\b[rRbB]{1,2})?${quote}`,
    end: quote,
    patterns: [{ name: 'constant.character.escape.starlark', match: '\\\\.' }],
  };
}

/** The script blocks of front matter: as long as lines are indented further than their key. */
function markdown(): object {
  return {
    scopeName: 'markdown.harness.script',
    injectionSelector: 'L:text.html.markdown',
    patterns: [
      {
        begin: '^(\\s*(?:- )*)(script|verify)(:)\\s*\\|[-+]?\\s*$',
        beginCaptures: {
          2: { name: 'entity.name.tag.yaml' },
          3: { name: 'punctuation.separator.key-value.mapping.yaml' },
        },
        while: '^(?:\\1\\s+|\\s*$)',
        contentName: 'meta.embedded.block.starlark',
        patterns: [{ include: 'source.starlark' }],
      },
    ],
  };
}
