// The governed stack in Cedar: one `forbid` a rule, preparsed; the deciding policy is the hook.
import cedar from '@cedar-policy/cedar-wasm/nodejs';

const POLICIES = {
  allow: 'permit(principal, action, resource);',
  command_guard: `forbid(principal, action == Action::"run_command", resource) when {
    context.command like "*rm -rf /*" || context.command like "*:(){ :|:& };:*" || context.command like "*mkfs*" ||
    context.command like "*dd if=*" || context.command like "*shutdown*" };`,
  path_guard: `forbid(principal, action in [Action::"read_file", Action::"write_file", Action::"edit_file"], resource) when {
    context.path like "/*" || context.path like "../*" || context.path like "*/../*" || context.path like "*/.." || context.path == ".." };`,
  prefer_named_tools: 'forbid(principal, action == Action::"exec", resource);',
  meta_tool_guard: `forbid(principal, action in [Action::"write_file", Action::"edit_file"], resource) when {
    context.path like ".harness/*" };`,
};
const ORDER = ['command_guard', 'path_guard', 'prefer_named_tools', 'meta_tool_guard'];

export async function prepare() {
  const parsed = cedar.preparsePolicySet('governed', { staticPolicies: POLICIES });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed));
  return (text) => {
    const payload = JSON.parse(text);
    const answer = cedar.statefulIsAuthorized({
      principal: { type: 'Agent', id: 'main' },
      action: { type: 'Action', id: payload.name },
      resource: { type: 'Workspace', id: 'here' },
      context: { command: payload.args.command ?? '', path: payload.args.path ?? '' },
      preparsedPolicySetId: 'governed',
      entities: [],
    });
    if (answer.type !== 'success') throw new Error(JSON.stringify(answer));
    if (answer.response.decision === 'allow') return { action: 'allow', reason: null, hook: null };
    const hook = ORDER.find((name) => answer.response.diagnostics.reason.includes(name));
    return { action: 'block', reason: hook, hook };
  };
}
