import { runOperator } from '@manta/operator';
import { keepSmall } from './keep-small.ts';
import { startSmall } from './start-small.ts';
import { VERSION } from './version.ts';

/** The operator as the image has it: every argument is a flag of its own, as charts and manifests that name `/manager` give them. */
startSmall();
keepSmall();
const args = process.argv.slice(2);
if (args.length === 1 && /^--?version$/.test(args[0] ?? '')) process.stdout.write(`${VERSION}\n`);
else process.exitCode = await runOperator(args, VERSION);
