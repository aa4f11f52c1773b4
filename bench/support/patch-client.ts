/** Sends many small PATCHes with one of two clients and prints what they cost this process. Arguments: ours|client-node, kubeconfig, count. */
const [which = '', kubeconfig = '', count = '0'] = process.argv.slice(2);
const IN_FLIGHT = 32;
const WARM_UP = 300;
const body = { metadata: { labels: { a: 'b' }, annotations: { text: 'x'.repeat(900) } } };

async function patcher(): Promise<() => Promise<unknown>> {
  // Only the client that is measured is loaded.
  if (which === 'client-node') {
    const { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = config.makeApiClient(CoreV1Api);
    const options = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    return () => api.patchNamespacedPod({ name: 'pod', namespace: 'default', body }, options);
  }
  const { createKubeClient, createTransport, loadConnection, resources, systemClock } = await import('@manta/kube');
  const connection = await loadConnection({ kubeconfig });
  const client = createKubeClient({
    transport: createTransport({ connection, clock: systemClock }),
    clock: systemClock,
  });
  return () => client.patch(resources.pods, { name: 'pod', namespace: 'default' }, { type: 'merge', body });
}

async function send(patch: () => Promise<unknown>, total: number): Promise<void> {
  let left = total;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await patch();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

const patch = await patcher();
await send(patch, WARM_UP);
const before = process.cpuUsage();
const started = performance.now();
await send(patch, Number(count));
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(before);
const result = {
  requestsPerSecond: Number(count) / seconds,
  cpuMicrosPerRequest: (cpu.user + cpu.system) / Number(count),
  peakRssMiB: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(result));
