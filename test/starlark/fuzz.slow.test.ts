/**
 * The same fuzzing as in every run, for longer. The seed is in the titles; STARLARK_FUZZ_SEED repeats it.
 */
process.env.STARLARK_FUZZ_SECONDS ??= '60';
await import('./fuzz.process.test.ts');
