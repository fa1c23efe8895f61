/**
 * The file that `install` places for OpenCode: a plugin that hands each hook to the guard and does what it answers. It is
 * plain JavaScript without dependencies. Without an answer in time it throws, which OpenCode takes for a refusal.
 */
import { askFunctionSource, type InProcessOptions } from '../in-process.ts';
import { adapter } from './index.ts';

/** Events of the bus: nothing can be answered to them. */
const WATCHED = adapter.events.flatMap(({ native, honours }) =>
  Object.values(honours).includes(true) ? [] : [native],
);

export function openCodePlugin(options: InProcessOptions): string {
  return `// Placed by harness: the policy of this folder holds in OpenCode through this file.
${askFunctionSource(options)}
const WATCHED = new Set(${JSON.stringify(WATCHED)});

// By session, until its start is judged: its context is read with the first prompt.
const starting = new Map();

export const Harness = async ({ directory }) => ({
  event: async ({ event }) => {
    // Nothing can be answered to these, so that a failure of the guard stops nothing either.
    if (!WATCHED.has(event.type)) return;
    const told = ask(event.type, { event, directory }).catch(() => {});
    if (event.type === 'session.created') starting.set(event.properties?.sessionID, told);
    await told;
    starting.delete(event.properties?.sessionID);
  },

  'chat.message': async (input, output) => {
    await starting.get(input.sessionID);
    const { block, prompt, context } = await ask('chat.message', { input, output, directory });
    if (block !== undefined) throw new Error(block);
    const texts = output.parts.filter((part) => part.type === 'text' && part.synthetic !== true);
    if (prompt !== undefined) {
      for (const [i, part] of texts.entries()) part.text = i === 0 ? prompt : '';
    }
    if (context !== undefined) {
      const [like] = texts.length > 0 ? texts : output.parts;
      const id = \`\${like?.id ?? 'prt_harness'}h\`;
      const { messageID, sessionID } = like ?? { messageID: output.message?.id, sessionID: input.sessionID };
      output.parts.push({ id, messageID, sessionID, type: 'text', text: context, synthetic: true });
    }
  },

  'experimental.session.compacting': async (input, output) => {
    const { context } = await ask('experimental.session.compacting', { input, directory }).catch(() => ({}));
    if (context !== undefined) output.context.push(context);
  },

  'tool.execute.before': async (input, output) => {
    const { block, args } = await ask('tool.execute.before', { input, output, directory });
    if (block !== undefined) throw new Error(block);
    if (args === undefined) return;
    // The same object is read again afterwards: a new one would be ignored.
    for (const key of Object.keys(output.args)) if (!Object.hasOwn(args, key)) delete output.args[key];
    Object.assign(output.args, args);
  },

  'tool.execute.after': async (input, output) => {
    const answer = await ask('tool.execute.after', { input, output, directory });
    if (answer.block !== undefined) throw new Error(answer.block);
    if (answer.output !== undefined) {
      output.output = answer.output;
      // Its own screen shows this one.
      if (typeof output.metadata?.output === 'string') output.metadata.output = answer.output;
    }
    if (answer.context !== undefined) output.output = \`\${output.output}\\n\\n\${answer.context}\`;
  },
});
`;
}
