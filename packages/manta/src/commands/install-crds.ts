import { crds } from '@manta/api/crds';
import { type KubeClient, resources } from '@manta/kube';

/** Who owns the fields of our CRDs. */
export const FIELD_MANAGER = 'manta';

/** Installs or updates them through a client; `told` hears of each, and the next one waits for it. */
export async function installCrds(client: KubeClient, told: (name: string) => unknown): Promise<void> {
  for (const crd of crds()) {
    const name = crd.metadata?.name ?? '';
    await client.patch(
      resources.customResourceDefinitions,
      { name },
      { type: 'apply', body: crd, fieldManager: FIELD_MANAGER, force: true },
    );
    await told(name);
  }
}
