import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideKubeAssets } from '../../../tools/fetch/kube/provide.ts';
import { type ApiRequester, createRequester } from '../../support/api-request.ts';
import { startMantaUp } from '../../support/manta-up.ts';
import { type PlainKubectl, plainKubectl } from '../../support/plain-kubectl.ts';
import { credentialsOf } from '../support/engine-child.ts';

/** A new control plane with an operator and without pods. */
export interface Plane {
  readonly kubeconfig: string;
  readonly kubectl: PlainKubectl;
  readonly request: ApiRequester;
  stop(): Promise<void>;
}

export async function startPlane(): Promise<Plane> {
  const programs = await provideKubeAssets({ extra: ['kubectl'] });
  const folder = mkdtempSync(join(tmpdir(), 'manta-production-'));
  const up = await startMantaUp(join(folder, 'data'));
  const request = createRequester(credentialsOf(up.kubeconfig.text));
  return {
    kubeconfig: up.kubeconfig.path,
    kubectl: plainKubectl(join(programs, 'kubectl'), up.kubeconfig.path, folder),
    request,
    async stop() {
      request.close();
      await up.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
