import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, Pod } from '@manta/api';
import { resources, type ResourceType, runInPod } from '@manta/kube';
import { parseAllDocuments } from 'yaml';
import type { LocalRay } from './local-ray.ts';

const LOOK_MS = 250;
/** Nothing here takes as long on a quiet machine; a busy one may need it, and more. */
const PATIENCE_MS = Number(process.env['MANTA_E2E_PATIENCE_S'] ?? 280) * 1000;
export const NAMESPACE = 'default';

/** Creates what a manifest holds. */
export async function create(ray: LocalRay, manifest: string): Promise<void> {
  const types = Object.values(resources);
  for (const document of parseAllDocuments(manifest)) {
    const object: KubeObject = document.toJS();
    const type = types.find(({ kind }) => kind === object.kind);
    if (type === undefined) throw new Error(`no resource is known for ${object.kind}`);
    const placed = { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } };
    await ray.client.create(type, placed);
  }
}

/** Looks again and again until what is found is as wanted, and gives it; what was seen last is told when it never is. */
export async function until<T>(what: string, look: () => Promise<T>, isWanted: (found: T) => boolean): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look().catch((error: unknown) => error);
    // Whatever was thrown is not wanted, and is told in the end.
    if (!(found instanceof Error) && isWanted(found as T)) return found as T;
    if (performance.now() > deadline)
      throw new Error(`${what}: not seen; last was ${found instanceof Error ? found.message : brief(found)}`);
    await sleep(LOOK_MS);
  }
}

/** What one wants to read when it went wrong: of an object its status. */
function brief(found: unknown): string {
  const isObject = typeof found === 'object' && found !== null && 'status' in found && 'metadata' in found;
  return JSON.stringify(isObject ? found.status : found)?.slice(0, 2000) ?? 'nothing';
}

/** Waits for an object of the default namespace. */
export async function untilObject<T extends KubeObject>(
  ray: LocalRay,
  type: ResourceType<T>,
  name: string,
  isWanted: (object: T) => boolean,
): Promise<T> {
  const get = () => ray.client.get(type, { namespace: NAMESPACE, name });
  return await until(`${type.kind} ${name}`, get, isWanted);
}

/** The pods that have all these labels. */
export async function podsOf(ray: LocalRay, labels: Readonly<Record<string, string>> = {}): Promise<readonly Pod[]> {
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return (await ray.client.list(resources.pods, { namespace: NAMESPACE, labelSelector })).items;
}

/** The one pod of a cluster with this role; undefined while there is none or more. */
export async function podOf(ray: LocalRay, cluster: string, role: 'head' | 'worker'): Promise<Pod | undefined> {
  const pods = await podsOf(ray, { 'ray.io/cluster': cluster, 'ray.io/node-type': role });
  return pods.length === 1 ? pods[0] : undefined;
}

export function isReady(pod: Pod | undefined): boolean {
  return pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

/** Runs a command in a pod's first container; throws with what it said when it fails. */
export async function exec(ray: LocalRay, pod: string, command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runInPod(ray.connection, { namespace: NAMESPACE, pod, command });
  if (code !== 0)
    throw new Error(`${command.join(' ')} in ${pod} ended with ${code}:\n${String(stdout)}${String(stderr)}`);
  return stdout.toString('utf8').trim();
}

/** Runs a Python program in a pod that is part of a Ray cluster, and gives what it prints: without what Ray says of its nodes meanwhile. */
export function python(ray: LocalRay, pod: string, program: string): Promise<string> {
  const quiet =
    'import logging, ray; ray.init(address="auto", namespace="e2e", logging_level=logging.ERROR, log_to_driver=False)';
  return exec(ray, pod, ['python', '-c', `${quiet}\n${program}`]);
}

/** What a path of the API answers, whatever it is. */
export async function getText(
  ray: LocalRay,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, body } = await ray.transport.send({ method: 'GET', path, headers: { accept: '*/*' } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, text: Buffer.concat(chunks).toString('utf8') };
}
