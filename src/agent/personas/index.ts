/**
 * Personas and their steps, with the events around them.
 */
export type { BudgetOptions } from './budget.ts';
export {
  type ApprovalQuestion,
  type CreatePersonaOptions,
  createPersona,
  type Handoff,
  Persona,
  type Step,
  step,
} from './persona.ts';
export type { PersonaOptions } from './stage.ts';
export { StepDenied } from './step.ts';
