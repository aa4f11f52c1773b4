import type { RayAction } from '@manta/plan';
import type { Command, RayHead, RayPoller } from '@manta/ray';

/** Sends a command to the head in the background. A command that has ended is sent again; one that is under way is not. */
export function sendJobCommand(
  poller: RayPoller,
  head: RayHead | undefined,
  owner: string,
  { id, command }: RayAction,
): void {
  if (head === undefined) return;
  const before = poller.results(owner).find((result) => result.id === id);
  if (before !== undefined && before.state !== 'running') poller.settle(owner, id);
  poller.perform(head, toCommand(command), { owner, id });
}

function toCommand(command: RayAction['command']): Command {
  switch (command.kind) {
    case 'submit':
      return { kind: 'submit', request: command.job };
    case 'stop':
    case 'delete':
      return { kind: command.kind, id: command.jobId };
    case 'put-serve':
    case 'settle':
      throw new Error(`a RayJob never sends ${command.kind}`);
  }
}
