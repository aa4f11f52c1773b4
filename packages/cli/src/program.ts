import { Command, CommanderError } from 'commander';
import { DEFAULT_IMAGE, RAY_VERSION } from './build/cluster-config.ts';
import { exitCodeOf, ExitCode, Finished, isExpected, messageOf, usageError } from './cli-error.ts';
import { addCreateCommands } from './commands/create-commands.ts';
import { addGetCommands } from './commands/get-commands.ts';
import { addJobCommands } from './commands/job-commands.ts';
import { addClusterCommands } from './commands/cluster-commands.ts';
import { addCronCommands } from './commands/cron/cron-commands.ts';
import { addManifestCommands } from './commands/manifest/manifest-commands.ts';
import { addPodCommands } from './commands/pods/pod-commands.ts';
import { addRolloutCommands } from './commands/rollout/rollout-commands.ts';
import { addRunCommand } from './commands/run/run-command.ts';
import { addHistoryCommands } from './commands/history/history-commands.ts';
import { addInsightCommands } from './commands/insight/insight-commands.ts';
import { printCompletions, takeConnectionFlags } from './completion/complete.ts';
import { editDistance } from './edit-distance.ts';
import { addGlobalFlags, type GlobalFlags } from './global-flags.ts';
import { Invocation } from './invocation.ts';
import type { CliWorld } from './world.ts';

/** Runs one command line, without the program's name, and resolves with its exit code. Failures are printed as one line. */
export async function runKubectlRay(args: readonly string[], world: CliWorld): Promise<ExitCode> {
  const calls: Invocation[] = [];
  const open: OpenInvocation = (command) => {
    const call = new Invocation(world, command.optsWithGlobals<GlobalFlags>(), args);
    calls.push(call);
    return call;
  };
  const program = createProgram(world, open);
  try {
    const [first, ...words] = args;
    if (first === '__complete') {
      takeConnectionFlags(program, words);
      await printCompletions(open(program), program, words);
      return ExitCode.Ok;
    }
    await program.parseAsync([...args], { from: 'user' });
    return ExitCode.Ok;
  } catch (error) {
    return report(error, world);
  } finally {
    await Promise.all(calls.map((call) => call.close()));
  }
}

/** Gives a command's action what it needs to work: flags, terminal, API server. */
export type OpenInvocation = (command: Command) => Invocation;

function createProgram(world: CliWorld, open: OpenInvocation): Command {
  const program = new Command('kubectl ray')
    .description('Manage Ray on Kubernetes.')
    .version(world.version, '-V, --version', 'print the version of this program')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false, sortSubcommands: true })
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'Error:')),
    })
    .addHelpText(
      'after',
      `\nNew clusters and jobs run Ray ${RAY_VERSION} (${DEFAULT_IMAGE}) unless --ray-version or --image is set.`,
    );
  addGlobalFlags(program);
  addGetCommands(program, open);
  addCreateCommands(program, open);
  addClusterCommands(program, open);
  addJobCommands(program, open);
  addRunCommand(program, open);
  addPodCommands(program, open);
  addRolloutCommands(program, open);
  addManifestCommands(program, open);
  addCronCommands(program, open);
  addInsightCommands(program, open);
  addHistoryCommands(program, open);
  program
    .argument('[command]')
    .usage('[flags] COMMAND')
    .action((unknown: string | undefined, _: unknown, command: Command) => {
      if (unknown !== undefined) throw usageError(unknownCommand(unknown, command));
      command.outputHelp();
    });
  return program;
}

function report(error: unknown, world: CliWorld): ExitCode {
  // Commander has printed the message, with the closest flag or command.
  if (error instanceof CommanderError) return exitCodeOf(error);
  if (error instanceof Finished) return error.exitCode;
  if (world.signal.aborted) return ExitCode.Failed;
  const text = isExpected(error) || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
  world.stderr.write(`Error: ${text}\n`);
  return exitCodeOf(error);
}

/** Suggests the closest command, if one is close. */
function unknownCommand(unknown: string, program: Command): string {
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const [closest] = names
    .map((name) => ({ name, distance: editDistance(unknown, name) }))
    .toSorted((a, b) => a.distance - b.distance);
  const isClose = closest !== undefined && closest.distance <= Math.max(1, Math.floor(unknown.length / 3));
  return `unknown command "${unknown}".${isClose ? ` Did you mean "${closest.name}"?` : ''} kubectl ray --help lists the commands.`;
}
