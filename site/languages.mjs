// The languages of code blocks, read by the parsers of an editor.
import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript';
import { markdown } from '@codemirror/lang-markdown';
import { pythonLanguage } from '@codemirror/lang-python';
import { yamlFrontmatter, yamlLanguage } from '@codemirror/lang-yaml';

const hook = yamlFrontmatter({ content: markdown() }).language.parser;
const [javascript, typescript] = [javascriptLanguage.parser, typescriptLanguage.parser];

export const LANGUAGES = {
  js: javascript,
  json: javascript,
  jsonl: javascript,
  ts: typescript,
  python: pythonLanguage.parser,
  starlark: pythonLanguage.parser,
  yaml: yamlLanguage.parser,
  markdown: hook,
  md: hook,
};
