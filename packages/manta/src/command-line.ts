import { Command, CommanderError, Option } from 'commander';
import { applyCrds, printCrds } from './commands/crds.ts';
import { printRbac, RBAC_PROFILES } from './commands/rbac.ts';

/** Everything but `operator`. Resolves with the exit status; an error has been said on stderr by then, in one line. */
export async function runCommandLine(argv: readonly string[], version: string): Promise<number> {
  const program = new Command('manta')
    .description('The operator for Ray on Kubernetes.')
    .version(version, '-v, --version')
    .exitOverride()
    .showHelpAfterError('(manta --help lists the commands)')
    .configureHelp({ showGlobalOptions: true });

  program
    .command('operator')
    .description('run the operator (manta operator --help lists its flags)')
    .allowUnknownOption();

  const crds = program.command('crds').description('print the CustomResourceDefinitions as YAML').action(printCrds);
  crds
    .command('apply')
    .description('install or update the CustomResourceDefinitions in the cluster, by server-side apply')
    .option('--kubeconfig <file>', 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config')
    .action(applyCrds);

  program
    .command('rbac')
    .description('print the ClusterRole that the operator needs as YAML')
    .addOption(
      new Option('--profile <name...>', 'what to add to the base role').choices(RBAC_PROFILES).default([], 'base only'),
    )
    .action(printRbac);

  program
    .command('version')
    .description('print the version')
    .action(() => void process.stdout.write(`${version}\n`));

  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`manta: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
