import type { Command } from 'commander';
import { usageError } from '../../cli-error.ts';
import { int32, keyValues } from '../../flag-values.ts';
import type { OpenInvocation } from '../../program.ts';
import { addImageFlags } from '../create-commands.ts';
import { run } from './run.ts';
import type { RunFlags } from './run-flags.ts';

const KEEP_SECONDS = 300;

/** `run [DIR] -- CMD…` */
export function addRunCommand(program: Command, open: OpenInvocation): void {
  const command = program
    .command('run')
    .description('Run a command in a local directory on Ray, and print its output.')
    .usage('[flags] [DIR] -- COMMAND…')
    .argument('[words...]', 'directory, else the current one; then -- and the command')
    .option('--name <name>', 'name of the RayJob; else that of the directory and a random suffix')
    .option('--on <cluster>', 'run on this RayCluster instead of a new one')
    .option('--retries <n>', 'how often a failed job is tried again, each time on a new cluster', int32, 0)
    .option('--workers <n>', 'worker pods of the new cluster; else 0, or 1 with --gpus', int32)
    .option('--gpus <n>', 'GPUs of each worker, or of the head without workers', '0')
    .option('--env <k=v,…>', 'environment variables of the job; may be repeated', keyValues)
    .option(
      '--pip <package>',
      'pip package or requirements file; may be repeated',
      (text, before: readonly string[] | undefined) => [...(before ?? []), ...text.split(',')],
    )
    .option('--head-cpu <quantity>', 'CPUs of the head', '1')
    .option('--head-memory <quantity>', 'memory of the head', '2Gi')
    .option('--worker-cpu <quantity>', 'CPUs of each worker', '1')
    .option('--worker-memory <quantity>', 'memory of each worker', '2Gi')
    .option('--ttl <seconds>', 'how long the new cluster stays after the job has ended', int32, KEEP_SECONDS)
    .option('--address <url>', 'address of the Ray dashboard; else the API server forwards a port')
    .option('-d, --detach', 'return once the job is handed over')
    .option('--dry-run', 'print the RayJob and create nothing');
  addImageFlags(command)
    .addHelpText(
      'after',
      `
Files that .gitignore and .rayignore name, .git, virtual environments and __pycache__ are not packed. Ctrl-C leaves the job running.

Examples:
  kubectl ray run -- python train.py
  kubectl ray run ./project --gpus 1 --workers 2 --pip torch --env EPOCHS=3 -- python train.py --lr 0.1
  kubectl ray run --on my-cluster --detach -- python batch.py`,
    )
    .action((words: readonly string[], flags: RunFlags, self: Command) => {
      const call = open(self);
      const behind = call.behindDashes ?? [];
      if (behind.length === 0)
        throw usageError('no command is given. Put it behind --, e.g. kubectl ray run . -- python my_script.py');
      const before = words.slice(0, words.length - behind.length);
      if (before.length > 1)
        throw usageError(`"${before.join(' ')}" names more than one directory. Put the command behind --.`);
      return run(call, before[0] ?? '.', behind, flags);
    });
}
