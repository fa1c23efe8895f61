// A persona and its steps: hooks deny a step, rewrite what goes in and what comes out, and hear what else happens to it.
import { loadProject } from 'harness-hooks';
import { createPersona, StepDenied } from 'harness-hooks/agent';
import { createHooks } from 'harness-hooks/hooks';

const project = await loadProject(import.meta.dirname);
const hooks = createHooks();

// Every step of every persona whose name begins with merge_.
hooks.registerPersonaHook('merge_*', 'PreStep', ({ target, step }) => {
  console.log(`> ${target}(${step.args.join(', ')})`);
});
// One step: short names are made whole. That nobody merges into a release is a rule of the project, in .harness/hooks.
hooks.registerStepHook('merge_*', 'merge', 'PreStep', ({ step }) => ({ args: [`heads/${step.args[0]}`] }));
hooks.registerStepHook('*', 'audit', 'PostStep', ({ output }) => ({
  output: { ...output, author: '(hidden)' },
}));
hooks.registerPersonaHook('*', 'OnBudgetThreshold(80)', ({ persona, percentage }) => {
  console.log(`! ${persona} has used ${percentage} % of its budget`);
});
for (const event of ['OnPersonaPaused', 'OnPersonaResumed', 'OnHandoffEmitted']) {
  hooks.registerPersonaHook('*', event, (seen) => console.log(`! ${seen.event} ${seen.to ?? seen.reason}`));
}

const captain = createPersona('merge_captain', {
  hooks: [...project.hooks, ...hooks.registry.list()],
  budget: { limit: 10 },
  maxPauseMs: 60_000,
});
const audit = captain.step('audit', async (branch) => ({ branch, author: 'ada', clean: true }));
const merge = captain.step('merge', async (branch) => `merged ${branch}`);

console.log(JSON.stringify(await audit('search')));
await captain.spend(6);
console.log(await merge('search'));
await captain.spend(3);

try {
  await merge('release/2.0');
} catch (error) {
  if (!(error instanceof StepDenied)) throw error;
  const { category, event, reason, step } = error;
  console.log(JSON.stringify({ category, event, reason, step }));
}

await captain.pause('the tests run');
const waiting = audit('cleanup');
await captain.resume('the tests are done');
console.log(JSON.stringify(await waiting));
await captain.handoff({ to: 'release_manager', artifact: { branch: 'cleanup' } });
