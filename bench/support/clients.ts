import { createKubeClient, createTransport, type KubeClient, loadConnection, systemClock } from '@manta/kube';

/** A client of the driver's own, and the end of its connections. */
export interface DriverClient {
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** Connects with a kubeconfig. */
export async function connectDriver(kubeconfig: string): Promise<DriverClient> {
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock: systemClock });
  return {
    client: createKubeClient({ transport, clock: systemClock }),
    close: () => transport.close(),
  };
}

/** Does the work for every item, so many at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const run = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) await work(item, at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
