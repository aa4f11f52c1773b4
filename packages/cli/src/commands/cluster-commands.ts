import { type Command, InvalidArgumentError, Option } from 'commander';
import { duration, int32 } from '../flag-values.ts';
import type { OpenInvocation } from '../program.ts';
import { deleteObjects } from './delete.ts';
import { events } from './events.ts';
import type { LogFlags } from './log-flags.ts';
import { log } from './log.ts';
import { logs } from './logs/logs.ts';
import type { LogsFlags } from './logs/logs-flags.ts';
import { printHelpForUnknown } from './print-help.ts';
import { scaleCluster, type ScaleFlags } from './scale-cluster.ts';
import { session, type SessionFlags } from './session.ts';
import { setSuspended } from './suspend.ts';
import { version } from './version.ts';
import { waitFor, type WaitFlags } from './wait.ts';

const TARGET = 'NAME of a RayCluster, or TYPE/NAME: raycluster, rayjob, rayservice';

const WAIT_MS = 10 * 60_000;

/** `scale`, `delete`, `suspend`, `resume`, `wait`, `events`, `session`, `log`, `logs` and `version`. */
export function addClusterCommands(program: Command, open: OpenInvocation): void {
  const scale = program.command('scale').description('Scale a Ray cluster.');
  printHelpForUnknown(scale);
  scale
    .command('cluster')
    .description('Change the number of replicas of one worker group.')
    .argument('<cluster>', 'RayCluster')
    .allowExcessArguments(false)
    .requiredOption('-w, --worker-group <group>', 'worker group')
    .option('-r, --replicas <n>', 'desired number of replicas', int32)
    .option('--min-replicas <n>', 'least number of replicas', int32)
    .option('--max-replicas <n>', 'greatest number of replicas', int32)
    .addHelpText('after', '\nExample:\n  kubectl ray scale cluster sample --worker-group default-group --replicas 3')
    .action((name: string, flags: ScaleFlags, command: Command) => scaleCluster(open(command), name, flags));

  program
    .command('delete')
    .description('Delete Ray resources, after a question.')
    .argument('<name...>', 'NAME of a RayCluster, or TYPE/NAME: raycluster, rayjob, rayservice, raycronjob')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  kubectl ray delete sample rayjob/train --yes')
    .action((names: readonly string[], flags: { readonly yes?: boolean }, command: Command) =>
      deleteObjects(open(command), names, flags),
    );

  const suspension = (name: 'suspend' | 'resume', description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<name...>', 'NAME of a RayCluster, or TYPE/NAME: raycluster, rayjob, rayservice, raycronjob')
      .action((names: readonly string[], _: unknown, command: Command) =>
        setSuspended(open(command), names, name === 'suspend'),
      );
  suspension('suspend', 'Suspend Ray resources: the operator deletes their pods and keeps the objects.');
  suspension('resume', 'Resume suspended Ray resources.');

  program
    .command('wait')
    .description('Wait until a RayCluster is provisioned, a RayService is ready or a RayJob has ended.')
    .argument('<name>', TARGET)
    .allowExcessArguments(false)
    .option('--for <condition>', 'wait for another condition, e.g. condition=HeadPodReady')
    .addOption(new Option('--timeout <duration>', 'how long to wait').argParser(duration).default(WAIT_MS, '10m'))
    .addHelpText('after', '\nExample:\n  kubectl ray wait rayjob/train --timeout 1h && echo done')
    .action((name: string, flags: WaitFlags, command: Command) => waitFor(open(command), name, flags));

  program
    .command('events')
    .description('Show the events of a Ray resource, its cluster and its pods.')
    .argument('<name>', 'NAME of a RayCluster, or TYPE/NAME')
    .allowExcessArguments(false)
    .action((name: string, _: unknown, command: Command) => events(open(command), name));

  program
    .command('session')
    .description('Forward local ports to a Ray head, until Ctrl-C.')
    .argument('<name>', TARGET)
    .allowExcessArguments(false)
    .option('-v, --verbose', 'print a line for each connection')
    .option('--address <address>', 'address on this machine to listen on', '127.0.0.1')
    .addHelpText('after', '\nExample:\n  kubectl ray session rayservice/sample')
    .action((name: string, flags: SessionFlags, command: Command) => session(open(command), name, flags));

  program
    .command('log')
    .description("Download the logs of a Ray cluster: each pod's output and Ray's own log files.")
    .argument('<name>', TARGET)
    .allowExcessArguments(false)
    .option('--out-dir <dir>', 'existing directory for the logs; else one with the name of the object is created here')
    .addOption(new Option('--node-type <type>', 'all, head or worker').argParser(nodeType).default('all'))
    .option('--link <cloud>', 'print a link to a cloud console instead: gke')
    .addHelpText('after', '\nExample:\n  kubectl ray log sample --node-type head')
    .action((name: string, flags: LogFlags, command: Command) => log(open(command), name, flags));

  program
    .command('logs')
    .description('Print the logs of all containers of a Ray resource, or of all Ray pods of the namespace.')
    .argument('[name]', 'NAME, or TYPE/NAME: raycluster, rayjob, rayservice')
    .allowExcessArguments(false)
    .option('-f, --follow', 'stay, and join pods as they start')
    .addOption(new Option('--since <duration>', 'only lines that are newer, e.g. 10m').argParser(duration))
    .option('--tail <n>', 'only the last lines of each container', int32)
    .option('--grep <regex>', 'only lines that match')
    .addOption(new Option('--node-type <type>', 'all, head or worker').argParser(nodeType).default('all'))
    .option('--group <name>', 'only pods of this worker group')
    .option('-c, --container <name>', 'only this container')
    .option('-p, --previous', 'the former run of restarted containers')
    .option('--download <dir>', "save the logs and Ray's own log files there, a folder for each pod")
    .addOption(new Option('--out-dir <dir>', 'as for log').hideHelp())
    .addOption(new Option('--link <cloud>', 'as for log').hideHelp())
    .addHelpText(
      'after',
      "\nExamples:\n  kubectl ray logs rayservice/sample -f --grep 'ERROR|Traceback'\n  kubectl ray logs sample --node-type worker --since 10m",
    )
    .action((name: string | undefined, flags: LogsFlags, command: Command) => logs(open(command), name, flags));

  program
    .command('version')
    .description('Print the versions of this program and of the operator.')
    .action((_: unknown, command: Command) => version(open(command)));
}

function nodeType(text: string): LogFlags['nodeType'] {
  const type = text.toLowerCase();
  if (type === 'all' || type === 'head' || type === 'worker') return type;
  throw new InvalidArgumentError('must be one of "all", "head", or "worker"');
}
