/**
 * The file that `install` places for pi: an extension that hands each hook to the guard and does what it answers. It is
 * plain JavaScript without dependencies. Without an answer in time a call is refused, a result hidden and a prompt dropped.
 */
import { askFunctionSource, type InProcessOptions } from '../in-process.ts';

export function piExtension(options: InProcessOptions): string {
  return `// Placed by harness: the policy of this folder holds in pi through this file.
${askFunctionSource(options)}
// For a version that names no session: the same for all that this process does.
const OWN_SESSION = \`pi-\${process.pid}-\${process.hrtime.bigint()}\`;

function judge(event, ctx) {
  const manager = ctx?.sessionManager;
  const session = manager?.getSessionId?.() || OWN_SESSION;
  const transcript = manager?.getSessionFile?.() ?? null;
  return ask(event.type, { event, session, transcript, cwd: ctx?.cwd ?? process.cwd() });
}

const text = (value) => [{ type: 'text', text: value }];

export default function harness(pi) {
  // Said to the model with the next prompt.
  let context;

  // pi waits for no handler of a turn's end, and without a screen its session is over before the policy has answered. So
  // the end of the session waits: until the stop is judged and, if it was sent back, what follows is over.
  const stop = { judged: 0, sentBack: false, goesOn: false };
  const isStopping = () => stop.judged > 0 || stop.sentBack || stop.goesOn;

  // Nothing can be answered to these, so that a failure of the guard stops nothing either.
  const tell = async (type, event, ctx) => void (await judge({ ...event, type }, ctx).catch(() => {}));
  pi.on('session_start', (event, ctx) => tell('session_start', event, ctx));
  pi.on('session_shutdown', async (event, ctx) => {
    // A message that it does not take up is not waited for without end.
    for (let waited = 0; !ctx?.hasUI && isStopping() && waited < 2 * DEADLINE_MS; waited += stop.sentBack ? 20 : 0) {
      await new Promise((done) => setTimeout(done, 20));
    }
    await tell('session_shutdown', event, ctx);
  });
  pi.on('turn_start', async () => {
    if (stop.sentBack) stop.goesOn = true;
    stop.sentBack = false;
  });
  pi.on('agent_end', async () => {
    stop.goesOn = false;
  });

  pi.on('input', async (event, ctx) => {
    const answer = await judge(event, ctx).catch((error) => ({ block: error.message }));
    if (answer.block !== undefined) {
      if (event.source === 'extension') stop.sentBack = false;
      if (ctx?.hasUI) ctx.ui.notify(answer.block, 'error');
      else process.stderr.write(\`\${answer.block}\\n\`);
      return { action: 'handled' };
    }
    context = answer.context;
    if (answer.prompt === undefined) return { action: 'continue' };
    return { action: 'transform', text: answer.prompt, images: event.images };
  });

  pi.on('before_agent_start', async () => {
    if (context === undefined) return undefined;
    const content = context;
    context = undefined;
    return { message: { customType: 'harness', content, display: true } };
  });

  pi.on('session_before_compact', async ({ type, customInstructions }, ctx) => {
    const { block } = await judge({ type, customInstructions }, ctx).catch((error) => ({ block: error.message }));
    return block === undefined ? undefined : { cancel: true };
  });
  pi.on('session_compact', ({ fromExtension }, ctx) => tell('session_compact', { fromExtension }, ctx));

  pi.on('tool_call', async (event, ctx) => {
    const answer = await judge(event, ctx).catch((error) => ({ block: error.message }));
    if (answer.block !== undefined) return { block: true, reason: answer.block };
    if (answer.args === undefined) return undefined;
    for (const key of Object.keys(event.input)) if (!Object.hasOwn(answer.args, key)) delete event.input[key];
    Object.assign(event.input, answer.args);
    return undefined;
  });

  pi.on('tool_result', async (event, ctx) => {
    const answer = await judge(event, ctx).catch((error) => ({ block: error.message }));
    if (answer.block !== undefined) return { content: text(answer.block), isError: true };
    const content = answer.output === undefined ? event.content : text(answer.output);
    if (answer.context !== undefined) return { content: [...content, ...text(answer.context)] };
    return answer.output === undefined ? undefined : { content };
  });

  pi.on('turn_end', async (event, ctx) => {
    if (event.toolResults?.length) return;
    stop.judged += 1;
    const { block } = await judge(event, ctx).catch(() => ({}));
    stop.judged -= 1;
    if (block === undefined) return;
    pi.sendUserMessage(block, { deliverAs: 'followUp' });
    stop.sentBack = true;
  });
}
`;
}
