import type { Command } from 'commander';

/** A command that only groups others: prints its help, after a line for a subcommand that does not exist. */
export function printHelpForUnknown(group: Command): void {
  group
    .argument('[command...]')
    .usage('[command]')
    .action((unknown: readonly string[], _: unknown, command: Command) => {
      if (unknown.length > 0) command.configureOutput().writeOut?.(`unknown command(s) "${unknown.join(' ')}"\n`);
      command.outputHelp();
    });
}
