import { resources } from '@manta/kube';
import type { Answered, ParentKind, ParentSnapshot } from '../real/recorded-scenarios.ts';
import { startKubelet } from './kubelet.ts';
import { ORDER, PATHS, restored } from './recorded-objects.ts';
import { type Stage, until } from './stage.ts';

/** A RayJob, RayService or RayCronJob with everything that the peer had made for it. */
interface RecordedParent {
  readonly kind: ParentKind;
  readonly snapshot: ParentSnapshot;
  readonly release: string;
}

/** The status of the parent as it was recorded, and of the RayJob that a RayCronJob has made. */
export interface PlacedParent {
  readonly recorded: Answered;
  readonly job: Answered;
}

const OF_RAY: Readonly<Record<string, string>> = {
  RayCluster: '/apis/ray.io/v1/namespaces/NS/rayclusters',
  RayJob: '/apis/ray.io/v1/namespaces/NS/rayjobs',
  RayService: '/apis/ray.io/v1/namespaces/NS/rayservices',
  RayCronJob: '/apis/ray.io/v1/namespaces/NS/raycronjobs',
};
/** Where the objects that share a service's traffic out are. */
export const GATEWAY_PATHS: Readonly<Record<string, string>> = {
  Gateway: '/apis/gateway.networking.k8s.io/v1/namespaces/NS/gateways',
  HTTPRoute: '/apis/gateway.networking.k8s.io/v1/namespaces/NS/httproutes',
};
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** What a server gives each Job anew. */
const OF_THE_JOB = /^(batch\.kubernetes\.io\/|controller-uid$|job-name$)/;

/** Puts a parent with its children and statuses on the server, its pods at work; resolves with its status as it was recorded. */
export async function placeParent(stage: Stage, recording: RecordedParent, namespace: string): Promise<PlacedParent> {
  const { kind, snapshot, release } = recording;
  const { target } = stage;
  const [written] = snapshot.parents;
  const { name } = written.metadata;
  const recorded = snapshot.objects[`${kind}/${name}`];
  const uids = new Map<string, string>();
  const make = async (path: string, object: Answered) => {
    const text = JSON.stringify(object)
      .replaceAll('<ns>', namespace)
      .replaceAll(/<uid:([^>]*)>/g, (_, key: string) => uids.get(key.replaceAll('#', 'x')) ?? '');
    const made = await target.must('POST', path.replace('NS', namespace), JSON.parse(text));
    uids.set(`${object.kind}/${made.metadata.name}`, made.metadata.uid ?? '');
    return made;
  };
  const writeStatus = async (path: string, made: Answered, status: Answered) => {
    const body = { status: filled(status, namespace, made.metadata.generation) };
    const at = `${path.replace('NS', namespace)}/${made.metadata.name}/status`;
    return await target.must('PATCH', at, body, MERGE);
  };
  /** With its status at once: nobody is there yet who would change it. */
  const place = async (path: string, key: string, object: Answered, asked: Answered) => {
    const child: Answered = restored(key, object, release);
    const made = await make(path, { ...child, spec: merged(asked, child.spec) });
    return await writeStatus(path, made, object.status);
  };

  const metadata = { ...written.metadata, ...recorded.metadata, name, namespace };
  const parent = await make(OF_RAY[kind] ?? '', { ...written, metadata });
  const { jobTemplate, rayClusterConfig, rayClusterSpec = jobTemplate?.rayClusterSpec } = written.spec;
  let job: Answered = kind === 'RayJob' ? recorded.status : undefined;
  if (kind === 'RayCronJob')
    for (const [key, object] of childrenOf(snapshot, 'RayJob'))
      job = (await place(OF_RAY['RayJob'] ?? '', key, object, jobTemplate)).status;
  for (const [key, object] of childrenOf(snapshot, 'RayCluster')) {
    const own = snapshot.clusters.find((each) => key === `RayCluster/${each.metadata?.name}`)?.spec;
    await place(OF_RAY['RayCluster'] ?? '', key, object, own ?? rayClusterSpec ?? rayClusterConfig);
  }
  const node = target.unique('node');
  await target.must('POST', '/api/v1/nodes', { metadata: { name: node } });
  for (const each of ORDER)
    for (const [key, object] of childrenOf(snapshot, each)) {
      const child: Answered = restored(key, object, release);
      // A Service knows only pods whose node is known.
      await make(PATHS[each] ?? '', each === 'Pod' ? { ...child, spec: { ...child.spec, nodeName: node } } : child);
    }
  for (const [each, path] of Object.entries(GATEWAY_PATHS))
    for (const [key, object] of childrenOf(snapshot, each)) await place(path, key, object, {});
  await runPods(stage, namespace);
  for (const [key, object] of childrenOf(snapshot, 'Job')) {
    await make('/apis/batch/v1/namespaces/NS/jobs', jobFrom(restored(key, object, release)));
    await runSubmitter(stage, namespace, job?.endTime !== undefined);
  }
  const { status } = await writeStatus(OF_RAY[kind] ?? '', parent, recorded.status);
  return { recorded: status, job: kind === 'RayJob' ? status : job };
}

function childrenOf({ objects }: ParentSnapshot, kind: string): readonly (readonly [string, Answered])[] {
  return Object.entries(objects).filter(([key]) => key.startsWith(`${kind}/`));
}

/** The recorded value over the one that was asked for: recordings leave out what is empty. */
function merged(asked: Answered, recorded: Answered): Answered {
  if (recorded === undefined) return asked;
  if (Array.isArray(recorded)) return recorded.map((each, i) => merged(asked?.[i], each));
  if (typeof recorded !== 'object' || recorded === null) return recorded;
  const keys = new Set([...Object.keys(asked ?? {}), ...Object.keys(recorded)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(asked?.[key], recorded[key])]));
}

/** A recorded status with times, addresses, generations and names in their places. */
function filled(status: Answered, namespace: string, generation: number): Answered {
  const text = JSON.stringify(status)
    .replaceAll('<time>', new Date().toISOString().replace(/\.\d+Z$/, 'Z'))
    .replaceAll(/"<(newest|older)>"/g, `${generation}`)
    .replaceAll(/<ip[^>]*>/g, '10.1.0.1')
    .replaceAll('"<masked>"', '{}')
    .replaceAll('<ns>', namespace)
    .replaceAll(/#(\w+)/g, 'x$1');
  return JSON.parse(text);
}

function jobFrom({ spec, ...job }: Answered): Answered {
  const { selector: _, manualSelector: __, template, ...rest } = spec;
  const labels = Object.entries(template.metadata.labels).filter(([name]) => !OF_THE_JOB.test(name));
  return { ...job, spec: { ...rest, template: { ...template, metadata: { labels: Object.fromEntries(labels) } } } };
}

async function runPods({ admin }: Stage, namespace: string): Promise<void> {
  const kubelet = startKubelet(admin, namespace);
  await until('the pods to run', async () => {
    const { items } = await admin.list(resources.pods, { namespace });
    return items.every(({ status }) => status?.phase === 'Running') ? true : undefined;
  });
  await kubelet.stop();
}

/** The submitter's pod, which Kubernetes makes: at work, or done. */
async function runSubmitter({ admin }: Stage, namespace: string, isDone: boolean): Promise<void> {
  const name = await until('the submitter', async () => {
    const { items } = await admin.list(resources.pods, { namespace });
    return items.find(({ metadata }) => metadata?.labels?.['job-name'] !== undefined)?.metadata?.name;
  });
  const body = { status: { phase: isDone ? 'Succeeded' : 'Running' } };
  await admin.patch(resources.pods, { name, namespace }, { type: 'merge', body }, { subresource: 'status' });
  await until('the Job to know', async () => {
    const { items } = await admin.list(resources.jobs, { namespace });
    return items.every(({ status }) => (isDone ? status?.succeeded === 1 : status?.active === 1)) ? true : undefined;
  });
}
