import type { Command } from 'commander';
import type { OpenInvocation } from '../../program.ts';
import { openBrowser, type OpenFlags } from '../open-browser.ts';
import { exec, type ExecFlags } from './exec.ts';
import { top } from './top.ts';

/** `exec`, `top` and `open`. */
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

  program
    .command('top')
    .description('Show what Ray pods use of the CPU and memory that they request.')
    .argument('[name]', 'NAME, or TYPE/NAME: raycluster, rayjob, rayservice; else all Ray pods of the namespace')
    .allowExcessArguments(false)
    .action((name: string | undefined, _: unknown, command: Command) => top(open(command), name));

  program
    .command('open')
    .description('Open the Ray dashboard in the browser, and forward its port until Ctrl-C.')
    .argument('<name>', 'NAME, or TYPE/NAME: raycluster, rayjob, rayservice')
    .allowExcessArguments(false)
    .option('--serve', 'open Ray Serve instead')
    .option('--address <address>', 'address on this machine to listen on', '127.0.0.1')
    .option('-v, --verbose', 'print a line for each connection')
    .action((name: string, flags: OpenFlags, command: Command) => openBrowser(open(command), name, flags));
}
