import type { Command } from 'commander';
import { byteCount, decimal, int32, keyValues } from '../flag-values.ts';
import type { OpenInvocation } from '../program.ts';
import { addHeadFlags, addImageFlags, addWorkerFlags } from './create-commands.ts';
import { addGetFlags, type GetFlags } from './get-flags.ts';
import { jobAttempts } from './job-attempts.ts';
import { jobList } from './job-list.ts';
import { jobLogs, type JobLogsFlags, jobStop } from './job-logs.ts';
import { jobSubmit, type JobSubmitFlags } from './job-submit.ts';
import { parseTarget } from '../target.ts';
import { printHelpForUnknown } from './print-help.ts';

/** A RayJob may be named as NAME or as rayjob/NAME. */
function jobName(text: string): string {
  return text.includes('/') ? parseTarget(text, ['rayjob']).name : text;
}

/** `job submit` and what else is done with RayJobs. */
export function addJobCommands(program: Command, open: OpenInvocation): void {
  const job = program.command('job').description('Work with Ray jobs.');
  printHelpForUnknown(job);
  addGetFlags(job.command('list').description('List RayJobs with their statuses and reasons.'))
    .allowExcessArguments(false)
    .action((flags: GetFlags, command: Command) => jobList(open(command), flags));
  job
    .command('attempts')
    .description('Show every try of a RayJob: outcome, reason, cluster, duration.')
    .argument('<name>', 'RayJob')
    .allowExcessArguments(false)
    .action((name: string, _: unknown, command: Command) => jobAttempts(open(command), jobName(name)));
  const address = '--address <url>';
  const addressText = 'address of the Ray dashboard; else the API server forwards a port';
  job
    .command('logs')
    .description('Print what a RayJob has printed; with -f until it ends, with its outcome as exit code.')
    .argument('<name>', 'RayJob')
    .allowExcessArguments(false)
    .option('-f, --follow', 'stay until the job ends, across its attempts')
    .option(address, addressText)
    .action((name: string, flags: JobLogsFlags, command: Command) => jobLogs(open(command), jobName(name), flags));
  job
    .command('stop')
    .description('Stop a running RayJob.')
    .argument('<name>', 'RayJob')
    .allowExcessArguments(false)
    .option(address, addressText)
    .action((name: string, flags: { readonly address?: string }, command: Command) =>
      jobStop(open(command), jobName(name), flags),
    );
  const submit = job
    .command('submit')
    .description('Create a RayJob, upload a local directory, run a command in it and print its output.')
    .argument('[entrypoint...]', 'command to run, behind --')
    .option('-f, --filename <file>', 'RayJob as YAML, with submissionMode: InteractiveMode')
    .option('--name <name>', 'name of the RayJob, if no file is given')
    .option('--working-dir <dir>', 'directory that the job runs in')
    .option('--runtime-env <file>', 'runtime environment as YAML')
    .option('--runtime-env-json <json>', 'runtime environment as JSON')
    .option('--submission-id <id>', "Ray's id of the job; else a new one")
    .option('--address <url>', 'address of the Ray dashboard; else the API server forwards a port')
    .option('--headers <json>', 'HTTP headers for the Ray dashboard, as a JSON object')
    .option('--verify <value>', 'true, false, or a file of certificates for --address with https')
    .option('--metadata-json <json>', 'metadata of the job, as a JSON object')
    .option('--entrypoint-num-cpus <n>', 'CPUs reserved for the entrypoint', decimal)
    .option('--entrypoint-num-gpus <n>', 'GPUs reserved for the entrypoint', decimal)
    .option('--entrypoint-memory <bytes>', 'memory reserved for the entrypoint', byteCount)
    .option('--entrypoint-resources <json>', 'custom resources reserved for the entrypoint, as a JSON object')
    .option('--log-style <style>', 'accepted for scripts; the output is printed as it comes')
    .option('--log-color <color>', 'accepted for scripts; the output is printed as it comes')
    .option('--no-wait', 'return once the job is submitted')
    .option('-v, --verbose', 'accepted for scripts')
    .option('--ttl-seconds-after-finished <n>', 'delete the cluster this long after the job has ended', int32)
    .option('--dry-run', 'print the RayJob and create nothing');
  addImageFlags(submit);
  addHeadFlags(submit).option('--head-node-selectors <k=v,…>', 'node selectors of the head pod', keyValues);
  addWorkerFlags(submit)
    .option('--worker-node-selectors <k=v,…>', 'node selectors of the worker pods', keyValues)
    .addHelpText('after', '\nExample:\n  kubectl ray job submit --name train --working-dir . -- python train.py')
    .action((entrypoint: readonly string[], flags: JobSubmitFlags, command: Command) =>
      jobSubmit(open(command), entrypoint, flags),
    );
}
