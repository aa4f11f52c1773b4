import { runOperator } from '@manta/operator';
import { VERSION } from './version.ts';

/** The operator as the image has it: every argument is a flag of its own, as charts and manifests that name `/manager` give them. */
const args = process.argv.slice(2);
// The first line of a program has room for one flag only; docs/decisions/0003-memory.md has the figures.
process.getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=30');
if (args.length === 1 && /^--?version$/.test(args[0] ?? '')) process.stdout.write(`${VERSION}\n`);
else process.exitCode = await runOperator(args, VERSION);
