import { type Command, Option } from 'commander';
import type { Invocation } from '../../invocation.ts';
import { toYaml } from '../../output/print-objects.ts';

/** Flags of commands that print one page. */
export interface PageFlags {
  readonly output?: 'json' | 'yaml';
  readonly watch?: boolean;
  readonly allNamespaces?: boolean;
}

export function addOutputFlag(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'for scripts: the whole answer').choices(['json', 'yaml']),
  );
}

/** Prints the answer as data if `-o` asks for it; false if it does not. */
export function printData(call: Invocation, { output }: PageFlags, answer: unknown): boolean {
  if (output === undefined) return false;
  call.print(output === 'json' ? JSON.stringify(answer, null, 2) : toYaml(answer));
  return true;
}
