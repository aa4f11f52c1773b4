import { runOperator } from '@manta/operator';
import { VERSION } from './version.ts';

/** The operator as the image has it: every argument is a flag of its own, as charts and manifests that name `/manager` give them. */
const args = process.argv.slice(2);
// The first line of a program has room for one flag only; docs/decisions/0003-memory.md has the figures.
const LATER_FLAGS = [
  '--heap-growing-percent=15',
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-turbofan=24000',
];
for (const flag of LATER_FLAGS) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
if (args.length === 1 && /^--?version$/.test(args[0] ?? '')) process.stdout.write(`${VERSION}\n`);
else process.exitCode = await runOperator(args, VERSION);
