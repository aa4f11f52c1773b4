import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Pod, RayCluster, Service } from '@manta/api';
import {
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  resources,
  systemClock,
} from '@manta/kube';
import { parse } from 'yaml';
import { type EngineProcess, startEngineProcess } from './engine-process.ts';

const MADE_WITHIN_MS = 30_000;

/**
 * Without a cluster: the embedded engine with the operator on it, in a temporary folder, and a sample RayCluster. Resolves with the exit
 * status.
 */
export async function runOnEngine(root: string, mustExit: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'manta-start-'));
  console.log('No cluster is configured: starting the embedded engine, a Kubernetes API on this machine …');
  const engine = startEngineProcess(join(root, 'bin/manta'), folder);
  // Ctrl-C reaches the engine too, which then stops in order; all that is left to do here is to wait for it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => engine.stop());
  try {
    const kubeconfig = await engine.ready;
    if (kubeconfig === undefined) return fail('The engine did not start.', engine);
    console.log(`It serves, with our CRDs and the operator. kubeconfig: ${kubeconfig}\n`);
    const isMade = await Promise.race([showSample(root, kubeconfig).catch(sayError), engine.ended.then(() => false)]);
    if (!isMade)
      return fail(`The operator did not make what the sample needs (within ${MADE_WITHIN_MS / 1000} s).`, engine);
    if (mustExit) engine.stop();
    else sayWhatNext(kubeconfig, engine.logFile);
    return await engine.ended;
  } finally {
    engine.stop();
    await engine.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function fail(what: string, engine: EngineProcess): number {
  console.error(`${what} Its log ends with:\n${engine.logTail()}`);
  return 1;
}

function sayError(error: unknown): false {
  console.error(error instanceof Error ? error.message : String(error));
  return false;
}

function sayWhatNext(kubeconfig: string, log: string): void {
  console.log(`Look around from another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl get rayclusters,pods,services

The operator's log is ${log}. Ctrl-C stops everything and removes it; bin/manta up keeps what it holds.`);
}

/** Creates the sample and shows what the operator made of it; false where that takes too long. */
async function showSample(root: string, kubeconfig: string): Promise<boolean> {
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta-start' });
  const client = createKubeClient({ transport, clock: systemClock });
  try {
    const file = join(root, 'samples/raycluster.yaml');
    const sample: RayCluster = parse(readFileSync(file, 'utf8'));
    await client.create(resources.rayClusters, { ...sample, metadata: { ...sample.metadata, namespace: 'default' } });
    const name = sample.metadata?.name ?? '';
    console.log(`Created RayCluster ${name} from ${relative(root, file)}. The operator made of it:\n`);
    const made = await waitForChildren(client, sample);
    if (made === undefined) return false;
    for (const { metadata } of made.services) console.log(`  Service  ${metadata?.name ?? ''}`);
    for (const { metadata, status } of made.pods)
      console.log(`  Pod      ${metadata?.name ?? ''}  ${status?.phase ?? ''}`);
    console.log('\nThe pods stay Pending: running them on this machine is not part of this version yet.\n');
    return true;
  } finally {
    await transport.close();
  }
}

interface Children {
  readonly services: readonly Service[];
  readonly pods: readonly Pod[];
}

async function waitForChildren(client: KubeClient, sample: RayCluster): Promise<Children | undefined> {
  const workers = sample.spec?.workerGroupSpecs?.reduce((sum, { replicas = 0 }) => sum + replicas, 0) ?? 0;
  const options = { namespace: 'default', labelSelector: `ray.io/cluster=${sample.metadata?.name ?? ''}` };
  const deadline = Date.now() + MADE_WITHIN_MS;
  while (Date.now() < deadline) {
    const { items: services } = await client.list(resources.services, options);
    const { items: pods } = await client.list(resources.pods, options);
    if (services.length > 0 && pods.length === 1 + workers) return { services, pods };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}
