import type { Measurement, Scenario } from '../scenario.ts';
import { runChild, startChild } from '../support/child.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

interface Result {
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly peakRssMiB: number;
}

const SHARE_OF_CPU = 20;

/** What one small request costs: the operator's daily bread. */
export const patches: Scenario = {
  name: 'patches',
  what: 'small PATCHes over TLS, 1 KB up, 2 KB down, 32 in flight: ours next to @kubernetes/client-node',
  run: () =>
    withTemporaryFolder(async (folder): Promise<Measurement> => {
      const kubeconfig = `${folder}/kubeconfig`;
      const server = startChild('support/canned-api-server.ts', [kubeconfig, '0']);
      await server.first;
      const ours = await runChild<Result>(
        'support/patch-client.ts',
        ['ours', kubeconfig, '20000'],
        ['--max-semi-space-size=2'],
      );
      const theirs = await runChild<Result>('support/patch-client.ts', ['client-node', kubeconfig, '1500']);
      await server.stop();
      const ratio = theirs.cpuMicrosPerRequest / ours.cpuMicrosPerRequest;
      return {
        summary: `${say(ours)}; client-node ${say(theirs)}; ${ratio.toFixed(0)} times less CPU`,
        figures: {
          oursPerSecond: ours.requestsPerSecond,
          oursCpuMicros: ours.cpuMicrosPerRequest,
          oursPeakRssMiB: ours.peakRssMiB,
          clientNodePerSecond: theirs.requestsPerSecond,
          clientNodeCpuMicros: theirs.cpuMicrosPerRequest,
          clientNodePeakRssMiB: theirs.peakRssMiB,
          cpuRatio: ratio,
        },
        budgets: [
          { what: `more than ${SHARE_OF_CPU} times less CPU a request than client-node`, isKept: ratio > SHARE_OF_CPU },
        ],
      };
    }),
};

function say({ requestsPerSecond, cpuMicrosPerRequest, peakRssMiB }: Result): string {
  return `${requestsPerSecond.toFixed(0)}/s, ${cpuMicrosPerRequest.toFixed(0)} µs CPU each, ${peakRssMiB.toFixed(0)} MiB`;
}
