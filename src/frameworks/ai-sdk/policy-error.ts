/** A call or a prompt the policy said no to. The SDK gives its message to the model as the error of the tool. */
export class PolicyError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PolicyError';
  }
}
