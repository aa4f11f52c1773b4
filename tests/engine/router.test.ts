import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installGatewayCrds } from '@manta/router';
import { routerSuite } from '../router/gateway-suite.ts';
import { startMantaUp } from '../support/manta-up.ts';

routerSuite(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-router-'));
  const up = await startMantaUp(join(folder, 'data'));
  return {
    kubeconfig: up.kubeconfig.path,
    routerKubeconfig: up.kubeconfig.path,
    installGatewayApi: async (client) => void (await installGatewayCrds(client)),
    stopServer: async () => void (await up.stop()),
    async stop() {
      await up.stop('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
