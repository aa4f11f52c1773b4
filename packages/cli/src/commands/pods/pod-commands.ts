import type { Command } from 'commander';
import type { OpenInvocation } from '../../program.ts';
import { exec, type ExecFlags } from './exec.ts';

/** Commands that look into the pods of Ray objects: `exec`. */
export function addPodCommands(program: Command, open: OpenInvocation): void {
  program
    .command('exec')
    .description('Run a command in the head pod of a Ray resource.')
    .usage('[flags] (NAME | TYPE/NAME) [-- COMMAND…]')
    .argument('<name>', 'NAME, or TYPE/NAME: raycluster, rayjob, rayservice')
    .argument('[words...]', 'command behind --; else bash')
    .option('--pod <name>', 'pod to run it in; else the head')
    .option('-c, --container <name>', 'container; else the first')
    .option('-i, --stdin', 'pass standard input to the command')
    .option('-t, --tty', 'give the command a terminal')
    .addHelpText('after', '\nExamples:\n  kubectl ray exec sample\n  kubectl ray exec rayjob/train -- ray status')
    .action((name: string, _words: unknown, flags: ExecFlags, command: Command) => exec(open(command), name, flags));
}
