// Only the hook runtime: a program that has its own loop asks before it acts, and obeys.
import { openPolicy } from 'harness-hooks';

const policy = await openPolicy(import.meta.dirname);

async function refund(args) {
  const outcome = await policy.decide('tool.pre', { id: '1', name: 'refund', args });
  if (outcome.action === 'block') return `refused by ${outcome.hook}: ${outcome.reason}`;
  // What hooks rewrote is what runs.
  const { amount, currency } = outcome.payload.args;
  return `refunded ${amount} ${currency}`;
}

console.log(await refund({ amount: 20 }));
console.log(await refund({ amount: 2000 }));
