import { readFileSync } from 'node:fs';

const { tool_name, tool_input } = JSON.parse(readFileSync(0, 'utf8'));
const path = String(tool_input.file_path ?? '');
if (/(^|\/)\.env(\.|$)/.test(path)) {
  console.error(`${tool_name} of ${path}: settings of the machine are not yours to change`);
  process.exit(2);
}
