/** Guards for agents built with a framework; fetch/: decisions over HTTP. */
export {
  type PlainAnswer,
  type PolicyAnswers,
  policyAnswers,
  problem,
} from './fetch/answers.ts';
