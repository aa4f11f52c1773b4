import { Command } from 'commander';
import { describeConsole } from './commands/console.ts';
import { VERSION } from './version.ts';

/** The web console as the image has it: every argument is a flag of `manta console`. */
const program = new Command('web-console').version(VERSION, '--version');
describeConsole(program, VERSION);
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`web-console: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
