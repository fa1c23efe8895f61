/** Why an event was not decided, in words: the launcher answers it with a block where the agent honours one. */
export interface LaunchProblem {
  readonly problem: string;
}
