import type { Command } from 'commander';
import type { OpenInvocation } from '../program.ts';
import { printHelpForUnknown } from './print-help.ts';

/** `job submit` and what else is done with RayJobs. */
export function addJobCommands(program: Command, _open: OpenInvocation): void {
  const job = program.command('job').description('Work with Ray jobs.');
  printHelpForUnknown(job);
}
