import type { Measurement, Scenario } from '../scenario.ts';
import { runChild, startChild } from '../support/child.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

interface Result {
  readonly objects: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakRssMiB: number;
  readonly keptBytes: number;
}

const SIZES = [5_000, 50_000];
const MAX_KEPT_BYTES = 1024;

/** What a start costs in a big cluster: reading every pod once and keeping a record of each. */
export const sync: Scenario = {
  name: 'sync',
  what: 'an informer reads 5,000 and 50,000 pods of 14 KB and keeps a record of each',
  run: () =>
    withTemporaryFolder(async (folder): Promise<Measurement> => {
      const results: Result[] = [];
      for (const size of SIZES) results.push(await measure(`${folder}/kubeconfig-${size}`, size));
      return {
        summary: results.map(say).join('; '),
        figures: Object.fromEntries(
          results.flatMap(({ objects, seconds, cpuSeconds, peakRssMiB, keptBytes }) => [
            [`seconds${objects}`, seconds],
            [`cpuSeconds${objects}`, cpuSeconds],
            [`peakRssMiB${objects}`, peakRssMiB],
            [`keptBytes${objects}`, keptBytes],
          ]),
        ),
        budgets: [
          { what: 'less than 1 KB kept of each', isKept: results.every((result) => result.keptBytes < MAX_KEPT_BYTES) },
        ],
      };
    }),
};

async function measure(kubeconfig: string, size: number): Promise<Result> {
  const server = startChild('support/canned-api-server.ts', [kubeconfig, String(size)]);
  await server.first;
  const result = await runChild<Result>(
    'support/sync-client.ts',
    [kubeconfig],
    ['--expose-gc', '--max-semi-space-size=2'],
  );
  await server.stop();
  return result;
}

function say({ objects, seconds, peakRssMiB, keptBytes }: Result): string {
  return `${objects}: ${seconds.toFixed(1)} s, peak ${peakRssMiB.toFixed(0)} MiB, ${keptBytes.toFixed(0)} B kept each`;
}
