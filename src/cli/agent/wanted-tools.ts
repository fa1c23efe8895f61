/**
 * The tools of MCP servers that the policy lets be offered, by what their definitions say. Where one is to be asked about, nobody is there
 * yet to be asked: it is not offered either.
 */
import { openJudge } from '../../adapters/judge.ts';
import type { Tool } from '../../agent/tool.ts';
import { visible } from '../../base/visible.ts';
import type { Policy } from '../../policy/policy.ts';
import type { OpenTape } from '../../tape/open-tape.ts';
import type { Output } from '../output.ts';

export async function wantedTools(
  tools: readonly Tool[],
  policy: Policy,
  tape: OpenTape,
  output: Output,
): Promise<readonly Tool[]> {
  const judge = openJudge({ policy, openTape: () => tape, approvals: null, windowMs: 0 });
  const wanted: Tool[] = [];
  for (const tool of tools) {
    const { name, description, parameters, source } = tool;
    const definition = { name, description, inputSchema: parameters };
    const objection = await judge.offer({ name, description, server: source, definition });
    if (objection === null) wanted.push(tool);
    else {
      const warning = output.paintNote('yellow', 'warning');
      output.note(`${warning}: the tool ${visible(name)} is not offered: ${visible(objection.reason)}`);
    }
  }
  return wanted;
}
