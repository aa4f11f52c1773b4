import type { Command } from 'commander';
import type { OpenInvocation } from '../../program.ts';
import { init, type InitFlags } from '../init/init.ts';
import { installCompletion } from '../completion.ts';
import { printHelpForUnknown } from '../print-help.ts';
import { plan, type PlanFlags } from '../plan/plan.ts';
import { explain } from './explain.ts';
import { validate, type ValidateFlags } from './validate.ts';

/** `validate`, `plan`, `init`, `explain` and `completion install`: commands about manifests. Only `plan` needs a server. */
export function addManifestCommands(program: Command, open: OpenInvocation): void {
  program
    .command('validate')
    .description('Check Ray manifests offline: schema, CEL rules and the rules of the operator.')
    .requiredOption(
      '-f, --filename <file...>',
      'files, directories, or - for standard input',
      (text, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .option('-o, --output <format>', 'text or json')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nExamples:\n  kubectl ray validate -f manifests/\n  helm template . | kubectl ray validate -f -',
    )
    .action((flags: ValidateFlags, command: Command) => validate(open(command), flags));
  program
    .command('plan')
    .description('Show what applying manifests would do: pods, steps, resources, downtime, fields without effect.')
    .requiredOption(
      '-f, --filename <file...>',
      'files, directories, or - for standard input',
      (text, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .option('-o, --output <format>', 'text or json')
    .option('--markdown', 'print Markdown, e.g. for a comment on a pull request')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nNothing is written. The exit code is 0 if there is nothing to do, 1 if there are changes, 2 after an error.\n\nExamples:\n  kubectl ray plan -f cluster.yaml\n  helm template . | kubectl ray plan --markdown -f -',
    )
    .action((flags: PlanFlags, command: Command) => plan(open(command), flags));
  program
    .command('init')
    .description('Print a commented manifest to start from: job, train, serve, cluster or cron.')
    .argument('[template]', 'job, train, serve, cluster or cron; asked for on a terminal')
    .option('--name <name>', 'name of the object')
    .option('-o, --output <file>', 'write to this file, which must not exist')
    .allowExcessArguments(false)
    .action((template: string | undefined, flags: InitFlags, command: Command) => init(open(command), template, flags));
  program
    .command('explain')
    .description('Describe a field of a Ray kind, e.g. rayjob.spec.backoffLimit.')
    .argument('<field>', 'KIND[.FIELD…]')
    .allowExcessArguments(false)
    .action((field: string, _: unknown, command: Command) => explain(open(command), field));
  const completion = program.command('completion').description('Complete commands, flags and names in your shell.');
  printHelpForUnknown(completion);
  completion
    .command('install')
    .description('Write kubectl_complete-ray, through which kubectl completes `kubectl ray`.')
    .option('--dir <dir>', 'folder of PATH; else that of kubectl-ray, else ~/.local/bin')
    .allowExcessArguments(false)
    .action((flags: { readonly dir?: string }, command: Command) => installCompletion(open(command), flags));
}
