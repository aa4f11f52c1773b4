import { crds } from '@manta/api/crds';
import {
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  resources,
  systemClock,
} from '@manta/kube';
import { stringify } from 'yaml';

/** Who owns the fields of our CRDs. */
export const FIELD_MANAGER = 'manta';

/** Prints the CRDs, one YAML document each. */
export function printCrds(): void {
  const documents = crds().map((crd) => stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }));
  process.stdout.write(documents.map((document) => `---\n${document}`).join(''));
}

/** Installs or updates them. Server-side apply, because they are too large for the annotation of a client-side one. */
export async function applyCrds(options: { readonly kubeconfig?: string }): Promise<void> {
  const connection = await loadConnection({ kubeconfig: options.kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta' });
  const client = createKubeClient({ transport, clock: systemClock });
  try {
    await installCrds(client, (name) => {
      process.stdout.write(`customresourcedefinition.apiextensions.k8s.io/${name} applied\n`);
    });
  } finally {
    await transport.close();
  }
}

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
