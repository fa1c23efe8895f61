/** Thrown for what the daemon leaves to the process that the agent started. Nothing is wrong with it. */
export class Declined extends Error {
  override readonly name = 'Declined';
}
