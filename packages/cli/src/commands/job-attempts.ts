import { humanDuration } from '@manta/api';
import { resources } from '@manta/kube';
import { failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { tableLines } from '../output/table.ts';

/** `job attempts NAME`: every try of a job that the operator recorded, oldest first. */
export async function jobAttempts(call: Invocation, name: string): Promise<void> {
  const namespace = await call.namespace();
  const client = await call.client();
  const { status } = await client.get(resources.rayJobs, { namespace, name }).catch((error: unknown) => {
    throw failedTo(`unable to find RayJob ${name}`, error);
  });
  const attempts = status?.attempts;
  if (attempts === undefined) {
    call.say('The operator of this cluster records no attempts, or the job has not started.');
    return;
  }
  const now = call.world.clock.now();
  const table = {
    columns: ['Attempt', 'Outcome', 'Reason', 'Cluster', 'Job ID', 'Duration'],
    rows: attempts.map((attempt) => [
      String(attempt.number),
      attempt.outcome ?? 'Running',
      attempt.reason ?? '',
      attempt.rayClusterName,
      attempt.submissionId,
      humanDuration(
        (attempt.endTime === undefined ? now : Date.parse(attempt.endTime)) - Date.parse(attempt.startTime),
      ),
    ]),
  };
  call.print(tableLines(table).join('\n'));
}
