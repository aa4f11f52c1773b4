import type { Pod } from '@manta/api';
import { createKubeClient, createTransport, loadConnection, resources, systemClock } from '@manta/kube';
import { createInformer, type Interner, silentLogger } from '@manta/runtime';

/** Fills an informer with pods and prints what that took and what stays. Arguments: kubeconfig. Needs --expose-gc. */
const [kubeconfig = ''] = process.argv.slice(2);
const collect = globalThis.gc;
if (collect === undefined) throw new Error('run with --expose-gc');

/** What the RayCluster controller keeps of a pod, near enough: identity, labels, phase, conditions, container states. */
function record(pod: Pod, intern: Interner): object {
  const { metadata, status, spec } = pod;
  const labels = metadata?.labels ?? {};
  return {
    name: metadata?.name,
    namespace: intern.string(metadata?.namespace ?? ''),
    cluster: intern.string(labels['ray.io/cluster'] ?? ''),
    group: intern.string(labels['ray.io/group'] ?? ''),
    nodeType: intern.string(labels['ray.io/node-type'] ?? ''),
    replicaIndex: Number(labels['ray.io/worker-group-replica-index']),
    owner: intern.string(metadata?.ownerReferences?.[0]?.uid ?? ''),
    isDeleting: metadata?.deletionTimestamp !== undefined,
    restartPolicy: intern.string(spec?.restartPolicy ?? ''),
    phase: intern.string(status?.phase ?? ''),
    podIP: status?.podIP,
    isReady: status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false,
  };
}

const connection = await loadConnection({ kubeconfig });
const client = createKubeClient({ transport: createTransport({ connection, clock: systemClock }), clock: systemClock });
const informer = createInformer(
  { client, clock: systemClock, random: Math.random, log: silentLogger },
  { type: resources.pods, project: record },
);
collect();
const heapBefore = process.memoryUsage().heapUsed;
const started = performance.now();
const cpuBefore = process.cpuUsage();
const stop = new AbortController();
const running = informer.run(stop.signal);
await new Promise<void>((done) => {
  informer.onStatus(() => {
    if (informer.hasSynced()) done();
  });
});
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(cpuBefore);
const peakRssMiB = process.resourceUsage().maxRSS / 1024;
collect();
collect();
const keptBytes = (process.memoryUsage().heapUsed - heapBefore) / informer.size;
console.log(
  JSON.stringify({ objects: informer.size, seconds, cpuSeconds: (cpu.user + cpu.system) / 1e6, peakRssMiB, keptBytes }),
);
stop.abort();
await running;
process.exit(0);
