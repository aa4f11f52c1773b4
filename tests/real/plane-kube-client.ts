import { createKubeClient, createTransport, type KubeClient, loadConnection, systemClock } from '@manta/kube';
import type { PlaneUser } from '../support/plane-client.ts';

/** Our own client, as this user of a control plane. */
export async function planeKubeClient(user: PlaneUser): Promise<{ client: KubeClient; close: () => Promise<void> }> {
  const connection = await loadConnection({ kubeconfig: user.kubeconfig.path });
  const transport = createTransport({ connection, clock: systemClock });
  return { client: createKubeClient({ transport, clock: systemClock }), close: () => transport.close() };
}
