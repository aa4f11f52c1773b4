import type { Command } from 'commander';
import type { OpenInvocation } from '../../program.ts';
import { doctor, type DoctorFlags } from '../doctor/doctor.ts';
import { addOutputFlag, type PageFlags } from './page-flags.ts';
import { status } from './status.ts';
import { tree } from './tree.ts';
import { why } from './why.ts';

const NAME = 'NAME, or TYPE/NAME: raycluster, rayjob, rayservice, raycronjob';

/** `why`, `doctor`, `status`, `tree`: what is wrong, and what there is. */
export function addInsightCommands(program: Command, open: OpenInvocation): void {
  addOutputFlag(
    program
      .command('why')
      .description('Say why a Ray resource is not healthy: the one cause, where it was read, and what to do.')
      .argument('<name>', NAME),
  )
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nThe exit code is 0 if the resource is healthy and 1 if it is not.\n\nExample:\n  kubectl ray why rayjob/train',
    )
    .action((name: string, flags: PageFlags, command: Command) => why(open(command), name, flags));

  addOutputFlag(
    program
      .command('doctor')
      .description(
        'Check the installation: operator, CRDs, rights, webhooks, quota, Gateways, leftovers, known vulnerabilities.',
      ),
  )
    .option('--pre', 'before an installation: check that it can succeed')
    .option('-A, --all-namespaces', 'check the Ray resources of all namespaces')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nThe exit code is 1 if a check failed. Warnings and checks that you may not make do not count.',
    )
    .action((flags: DoctorFlags, command: Command) => doctor(open(command), flags));

  addPage(program, 'status', 'Show one page about a Ray resource, or about all of a namespace, problems first.').action(
    (name: string | undefined, flags: PageFlags, command: Command) => status(open(command), name, flags),
  );
  addPage(program, 'tree', 'Show what belongs to a Ray resource: clusters, groups, pods and their nodes.').action(
    (name: string | undefined, flags: PageFlags, command: Command) => tree(open(command), name, flags),
  );
}

function addPage(program: Command, name: string, description: string): Command {
  const command = program.command(name).description(description).argument('[name]', `${NAME}; without it, all`);
  return addOutputFlag(command)
    .option('-w, --watch', 'draw it again whenever something changes, until Ctrl-C')
    .option('-A, --all-namespaces', 'all namespaces')
    .allowExcessArguments(false)
    .addHelpText('after', `\nExample:\n  kubectl ray ${name} rayservice/chat -w`);
}
