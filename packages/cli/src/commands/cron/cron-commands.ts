import type { Command } from 'commander';
import type { OpenInvocation } from '../../program.ts';
import { addGetFlags, type GetFlags } from '../get-flags.ts';
import { printHelpForUnknown } from '../print-help.ts';
import { cronList, cronTrigger } from './cron.ts';

/** `cron list` and `cron trigger`. */
export function addCronCommands(program: Command, open: OpenInvocation): void {
  const cron = program.command('cron').description('Work with RayCronJobs.');
  printHelpForUnknown(cron);
  addGetFlags(cron.command('list').description('List RayCronJobs with their schedules and next times.'))
    .allowExcessArguments(false)
    .action((flags: GetFlags, command: Command) => cronList(open(command), flags));
  cron
    .command('trigger')
    .description('Create a RayJob from a RayCronJob now.')
    .argument('<name>', 'RayCronJob')
    .allowExcessArguments(false)
    .option('--name <name>', 'name of the RayJob')
    .action((name: string, flags: { readonly name?: string }, command: Command) =>
      cronTrigger(open(command), name.replace(/^raycronjob\//i, ''), flags),
    );
}
