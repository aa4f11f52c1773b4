import { type Command, Option } from 'commander';
import { duration } from '../../flag-values.ts';
import type { OpenInvocation } from '../../program.ts';
import { printHelpForUnknown } from '../print-help.ts';
import { rolloutStatus, type RolloutStatusFlags } from './rollout.ts';
import { rolloutPause, rolloutRestart, rolloutResume } from './rollout-changes.ts';
import { rolloutHistory, rolloutUndo } from './rollout-history.ts';

const TARGET = 'NAME, or TYPE/NAME: rayservice, raycluster';
const STATUS_MS = 10 * 60_000;

/** `rollout status`, `history`, `undo`, `restart`, `pause`, `resume`. */
export function addRolloutCommands(program: Command, open: OpenInvocation): void {
  const rollout = program.command('rollout').description('Follow and steer upgrades of RayServices and RayClusters.');
  printHelpForUnknown(rollout);
  rollout
    .command('status')
    .description('Wait until an upgrade is done; exit code 1 when it failed, 3 when it takes too long.')
    .argument('<name>', TARGET)
    .allowExcessArguments(false)
    .option('--no-watch', 'judge the present state and do not wait')
    .addOption(new Option('--timeout <duration>', 'how long to wait').argParser(duration).default(STATUS_MS, '10m'))
    .action((name: string, flags: RolloutStatusFlags, self: Command) => rolloutStatus(open(self), name, flags));
  rollout
    .command('undo')
    .description('Return to the cluster spec of the active cluster during an upgrade, else of a former cluster.')
    .argument('<name>', 'RayService')
    .allowExcessArguments(false)
    .option('--to-cluster <name>', 'the cluster to return to, from rollout history')
    .action((name: string, flags: { readonly toCluster?: string }, self: Command) =>
      rolloutUndo(open(self), name, flags),
    );
  const plain = [
    ['history', 'Show the clusters of a RayService that still exist.', rolloutHistory],
    ['restart', 'Replace all pods: by an upgrade for a RayService, in place for a RayCluster.', rolloutRestart],
    ['pause', 'Let changes start no upgrade until rollout resume.', rolloutPause],
    ['resume', 'End rollout pause.', rolloutResume],
  ] as const;
  for (const [name, description, action] of plain)
    rollout
      .command(name)
      .description(description)
      .argument('<name>', TARGET)
      .allowExcessArguments(false)
      .action((text: string, _: unknown, self: Command) => action(open(self), text));
}
