import { isIP } from 'node:net';
import { parseQuantity, quantityMilliValue } from '@manta/api';
import { messageOf } from '@manta/base';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { UpOptions } from './commands/up-options.ts';
import { StartTimeout } from './local/start-step.ts';
import type { SubmitterFlags } from './submitter/submission.ts';

/** Where `manta up` serves unless told: next to the usual 6443, which a real cluster on this machine may have. */
const DEFAULT_PORT = 7443;

/** Everything but `operator`. Resolves with the exit status; an error has been said on stderr by then, in one line. */
export async function runCommandLine(argv: readonly string[], version: string): Promise<number> {
  const program = new Command('manta')
    .description('The operator for Ray on Kubernetes.')
    .version(version, '-v, --version')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(manta --help lists the commands)')
    .configureHelp({ showGlobalOptions: true });

  program
    .command('operator')
    .description('run the operator (manta operator --help lists its flags)')
    .allowUnknownOption();

  let exitCode = 0;
  const dataDir = () =>
    new Option(
      '--data-dir <dir>',
      'where the engine keeps its objects and keys; else $XDG_DATA_HOME/manta or ~/.local/share/manta',
    );
  program
    .command('up')
    .description('run Ray on this machine without a cluster: a Kubernetes API, the operator, and pods as processes')
    .option('--no-pods', 'serve the API only: pods stay Pending')
    .option(
      '--no-operator',
      'leave the operator out, to run one of your own: HTTP_PROXY=<the proxy that is printed> manta operator',
    )
    .option('--port <n>', 'loopback port; 0 is any free one', portNumber, DEFAULT_PORT)
    .option(
      '--router-port <n>',
      'loopback port where Gateways are served; 0 is any free one; else 7480, or any where that is taken',
      portNumber,
    )
    .option('--no-history', 'do not record what happens to Ray objects; kubectl ray history shows it')
    .option('--no-console', 'leave the web console out')
    .option(
      '--console-port <n>',
      'loopback port of the web console; 0 is any free one; else 7481, or any where that is taken',
      portNumber,
    )
    .addOption(dataDir())
    .option('--kubeconfig-out <file>', 'where to write the kubeconfig; else into the data directory')
    .option('--kubeconfig-merge [file]', 'add the context manta to this kubeconfig as well; else to ~/.kube/config')
    .option('--reset', 'forget everything that the data directory holds before starting')
    .option(
      '--cpus <n>',
      'CPUs that all pods together can request; else twice those of this machine, at least 4, because Ray is often idle',
      quantity,
    )
    .option(
      '--memory <amount>',
      'memory that all pods together can request, e.g. 16Gi; else that of this machine without 1 GiB',
      quantity,
    )
    .option('--feature-gates <list>', "the operator's: Name=true,Other=false")
    .option(
      '--egress-allow <address>',
      "an address or CIDR range that pods may reach through the engine's HTTP proxy although it is one of this machine or of the pods' networks, such as a local package index; may be repeated",
      addressOrRange,
      [],
    )
    .option(
      '--image <name=folder>',
      'what runs instead of an image: the programs of a folder, which come first in PATH; may be repeated',
      imageFolder,
      {},
    )
    .option(
      '--ray-from-tag',
      'run rayproject/ray:2.x.y with exactly that version of Ray, installed from PyPI when a pod first asks for it; else any tag is the Ray that is installed',
    )
    .addOption(
      new Option(
        '--loopback-access <users>',
        'who on this machine may connect to the proxy for Services, node ports and the router: the user who runs the engine (and root), or all users; default "user" where the system tells who owns a connection',
      ).choices(['user', 'all']),
    )
    .addOption(
      new Option('--sandbox <mode>', 'how pods are kept apart; tried out unless given').choices([
        'user',
        'root',
        'none',
      ]),
    )
    .action(async (options: UpOptions) => {
      const { up } = await import('./commands/up.ts');
      exitCode = await up(options, version);
    });
  program
    .command('down')
    .description('stop the engine that manta up started')
    .addOption(dataDir())
    .action(async (options: { readonly dataDir?: string }) => {
      const { down } = await import('./commands/down.ts');
      await down(options);
    });
  program
    .command('status')
    .description(
      'show what runs, its pods, Ray dashboards and free CPUs and memory; the exit status is 1 if nothing runs',
    )
    .addOption(dataDir())
    .action(async (options: { readonly dataDir?: string }) => {
      const { showStatus } = await import('./commands/status.ts');
      exitCode = await showStatus(options);
    });

  program.command('crds').description('print the CustomResourceDefinitions as YAML');
  program
    .command('backup')
    .description('print the Ray objects that users created as manifests, to restore them in another cluster');
  program.command('rbac').description('print the ClusterRole that the operator needs as YAML');
  program
    .command('router')
    .description('send requests to RayServices by the weights of their HTTPRoutes (Gateway API)');

  program.command('console').description('serve the web console: what runs, why something does not, and what to do');
  program
    .command('submitter')
    .description(
      'submit a job to a Ray head and follow its output: RAY_DASHBOARD_ADDRESS, RAY_JOB_SUBMISSION_ID and RAY_AUTH_TOKEN say where and as what',
    )
    .argument('[entrypoint...]', 'what to run, behind --')
    .option('--runtime-env-json <json>', "the job's runtime environment")
    .option('--metadata-json <json>', "the job's metadata")
    .option('--entrypoint-resources <json>', 'custom resources that the entrypoint needs')
    .option('--entrypoint-num-cpus <n>', 'CPUs that the entrypoint needs', amount)
    .option('--entrypoint-num-gpus <n>', 'GPUs that the entrypoint needs', amount)
    .passThroughOptions()
    .action(async (entrypoint: readonly string[], flags: SubmitterFlags) => {
      const { submitter } = await import('./commands/submitter.ts');
      exitCode = await submitter(flags, entrypoint);
    });

  program
    .command('version')
    .description('print the version')
    .action(() => void process.stdout.write(`${version}\n`));

  await describeFurther(program, argv[2] ?? '', version);
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`manta: ${messageOf(error)}\n`);
    // What hangs would keep the process alive.
    if (error instanceof StartTimeout) process.exit(1);
    return 1;
  }
}

/**
 * Commands that tell what they take in their own files. The one that is named is loaded, and all where none is, to be listed with the
 * rest: `manta up` does not wait for code that it does not run.
 */
async function describeFurther(program: Command, named: string, version: string): Promise<void> {
  const isKnown = program.commands.some((command) => command.name() === named);
  for (const command of program.commands) {
    const name = command.name();
    if (isKnown && name !== named) continue;
    if (name === 'crds') (await import('./commands/crds.ts')).describeCrds(command);
    if (name === 'backup') (await import('./commands/backup.ts')).describeBackup(command);
    if (name === 'rbac') (await import('./commands/rbac.ts')).describeRbac(command);
    if (name === 'console') (await import('./commands/console.ts')).describeConsole(command, version);
    if (name === 'router') (await import('./commands/router.ts')).describeRouter(command, version);
  }
}

function amount(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('It is a number, 0 or more.');
}

function quantity(text: string): string {
  const parsed = parseQuantity(text);
  if (parsed.ok && quantityMilliValue(parsed.value) > 0n) return text;
  throw new InvalidArgumentError('It is an amount above 0 as in Kubernetes, such as 4, 500m, 16Gi.');
}

/** Adds to what was given before. */
function imageFolder(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, image, folder] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (image !== undefined && folder !== undefined) return { ...before, [image]: folder };
  throw new InvalidArgumentError(
    'It is an image without its tag, = and a folder: example.com/team/thing=/opt/thing/bin.',
  );
}

function addressOrRange(text: string, before: readonly string[]): readonly string[] {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const isRange = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || !isRange || more.length > 0)
    throw new InvalidArgumentError(`"${text}" is neither an IP address nor a CIDR range such as 10.0.7.0/24.`);
  return [...before, text];
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
