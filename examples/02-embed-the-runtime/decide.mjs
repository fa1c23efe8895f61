// Only the hook runtime: a program that has its own loop asks before it acts, and obeys.
import { openPolicy } from 'harness-hooks';

const policy = await openPolicy(import.meta.dirname);

async function refund(args) {
  const decided = await policy.decide('tool.pre', { id: '1', name: 'refund', args });
  // Settles an `ask`. No person can be asked here, so an ask may not run; with { approvals } a person answers it.
  const outcome = await policy.permit(decided);
  if (!outcome.mayRun) return `refused by ${outcome.hook}: ${outcome.reason}`;
  // What hooks rewrote is what runs.
  const { amount, currency } = outcome.payload.args;
  return `refunded ${amount} ${currency}`;
}

console.log(await refund({ amount: 20 }));
console.log(await refund({ amount: 2000 }));
