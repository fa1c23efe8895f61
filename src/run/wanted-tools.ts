/**
 * The tools of MCP servers that the policy lets be offered, by what their definitions say. Where one is to be asked about, nobody is there
 * yet to be asked: it is not offered either.
 */
import type { Tool } from '../agent/index.ts';
import { visible } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import { GovernedSession } from '../session/index.ts';
import type { OpenTape } from '../tape/index.ts';
import type { Output } from '../terminal/index.ts';

export async function acceptedTools(
  tools: readonly Tool[],
  policy: Policy,
  tape: OpenTape,
  output: Output,
): Promise<readonly Tool[]> {
  const session = new GovernedSession({ policy, openTape: () => tape, approvals: null, approvalMs: 0 });
  const wanted: Tool[] = [];
  for (const tool of tools) {
    const { name, description, parameters, source } = tool;
    const definition = { name, description, inputSchema: parameters };
    const objection = await session.offer({ name, description, server: source, definition });
    if (objection === null) wanted.push(tool);
    else {
      const warning = output.paintNote('yellow', 'warning');
      output.note(`${warning}: the tool ${visible(name)} is not offered: ${visible(objection.reason)}`);
    }
  }
  return wanted;
}
