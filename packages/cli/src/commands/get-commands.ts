import type { Command } from 'commander';
import type { OpenInvocation } from '../program.ts';
import { getCluster } from './get-cluster.ts';
import { addGetFlags, type GetFlags, type GetOfClusterFlags } from './get-flags.ts';
import { getNode } from './get-node.ts';
import { getToken } from './get-token.ts';
import { getWorkerGroup } from './get-workergroup.ts';
import { printHelpForUnknown } from './print-help.ts';

/** `get cluster`, `get workergroup`, `get node`, `get token`. */
export function addGetCommands(program: Command, open: OpenInvocation): void {
  const get = program.command('get').alias('list').description('Display one or many Ray resources.');
  printHelpForUnknown(get);

  addGetFlags(
    get.command('cluster').alias('clusters').description('Get cluster information.').argument('[name]', 'RayCluster'),
  )
    .allowExcessArguments(false)
    .action((name: string | undefined, flags: GetFlags, command: Command) => getCluster(open(command), name, flags));

  addGetFlags(
    get
      .command('workergroup')
      .alias('workergroups')
      .description('Get worker group information.')
      .argument('[group]', 'worker group'),
  )
    .option('-c, --ray-cluster <name>', 'only groups of this Ray cluster')
    .allowExcessArguments(false)
    .action((group: string | undefined, flags: GetOfClusterFlags, command: Command) =>
      getWorkerGroup(open(command), group, flags),
    );

  addGetFlags(
    get
      .command('node')
      .alias('nodes')
      .description('Get Ray node information: head and worker pods.')
      .argument('[node]', 'pod'),
  )
    .option('-c, --ray-cluster <name>', 'only nodes of this Ray cluster')
    .allowExcessArguments(false)
    .action((node: string | undefined, flags: GetOfClusterFlags, command: Command) =>
      getNode(open(command), node, flags),
    );

  get
    .command('token')
    .description('Print the authentication token of a Ray cluster.')
    .argument('<cluster>', 'RayCluster with spec.authOptions.mode: token')
    .allowExcessArguments(false)
    .action((name: string, _: unknown, command: Command) => getToken(open(command), name));
}
