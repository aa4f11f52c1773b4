import { type Command, Option } from 'commander';
import { usageError } from '../../cli-error.ts';
import type { OpenInvocation } from '../../program.ts';
import { printHelpForUnknown } from '../print-help.ts';
import { historyList, type HistoryListFlags } from './history-list.ts';
import { historyLogs, type HistoryLogsFlags } from './history-logs.ts';
import { historyShow, type HistoryShowFlags } from './history-show.ts';

const TARGET = 'NAME of a RayCluster, or TYPE/NAME: raycluster, rayjob, rayservice, raycronjob';
const LIMIT = 100;
const MAX_LIMIT = 5_000;

/** `history list`, `show`, `logs`. */
export function addHistoryCommands(program: Command, open: OpenInvocation): void {
  const history = program
    .command('history')
    .description('Show what happened to Ray resources, also after they were deleted.');
  printHelpForUnknown(history);
  history
    .command('list')
    .description('List resources that exist or existed, the latest first.')
    .argument('[type]', 'raycluster, rayjob, rayservice or raycronjob; without it, all')
    .allowExcessArguments(false)
    .option('-A, --all-namespaces', 'all namespaces')
    .addOption(new Option('--limit <n>', 'how many at most').argParser(limit).default(LIMIT))
    .addOption(output())
    .action((type: string | undefined, flags: HistoryListFlags, self: Command) => historyList(open(self), type, flags));
  history
    .command('show')
    .description('Show the stages, events, pods and end of one resource.')
    .argument('<name>', TARGET)
    .allowExcessArguments(false)
    .addOption(uid())
    .addOption(output())
    .addHelpText('after', '\nExample:\n  kubectl ray history show rayjob/train')
    .action((name: string, flags: HistoryShowFlags, self: Command) => historyShow(open(self), name, flags));
  history
    .command('logs')
    .description('Print the last 200 lines of each container that has ended.')
    .argument('<name>', TARGET)
    .allowExcessArguments(false)
    .addOption(uid())
    .option('--pod <name>', 'only this pod, or pods of this type: head, worker, submitter')
    .option('-c, --container <name>', 'only this container')
    .addHelpText('after', '\nExample:\n  kubectl ray history logs rayjob/train --pod submitter')
    .action((name: string, flags: HistoryLogsFlags, self: Command) => historyLogs(open(self), name, flags));
}

const uid = () => new Option('--uid <uid>', 'which one, if several had this name; else the latest');
const output = () => new Option('-o, --output <format>', 'json').choices(['json']);

function limit(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= MAX_LIMIT) return number;
  throw usageError(`--limit takes a whole number from 1 to ${MAX_LIMIT}: "${text}"`);
}
