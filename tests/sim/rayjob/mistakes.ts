import {
  type Job,
  type KubeObject,
  Label,
  NodeType,
  type Pod,
  type RayCluster,
  type RayJob,
  type RayJobStatus,
} from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import { type KubeClient, type ObjectRef, type Patch, resources, type ResourceType } from '@manta/kube';
import type { RayRequest, RayResponse, RaySend } from '@manta/ray';
import type { World } from '@manta/runtime';
import { overriding, seeingThrough } from '../raycluster/client-lens.ts';
import type { Backstage } from '../scenario.ts';
import { RAY_CONTAINER } from './ledger.ts';
import { NAMESPACE, SHARED, STORED } from './stage.ts';

/** A mistake, and how the operator is brought to make it. */
interface Making {
  readonly says: string;
  readonly client?: (inner: KubeClient, world: World) => KubeClient;
  readonly send?: (inner: RaySend, world: World, backstage: Backstage) => RaySend;
}

type Body = { readonly metadata?: RayJob['metadata']; readonly status?: RayJobStatus; readonly spec?: unknown };
const bodyOf = (patch: unknown) => (patch as Patch).body as Body;
const isA = (type: ResourceType, plural: string) => type.plural === plural;

/** What becomes of each status that is written. */
function writing(change: (body: Body) => Body | undefined): (inner: KubeClient) => KubeClient {
  return (inner) =>
    overriding(inner, {
      patch: (original, type, ref, patch, options) => {
        const body = bodyOf(patch);
        if (!isA(type, 'rayjobs') || body.status === undefined) return original(type, ref, patch, options);
        const changed = change(body);
        return changed === undefined
          ? inner.get(resources.rayJobs, ref as ObjectRef)
          : original(type, ref, { type: 'merge', body: changed }, options);
      },
    });
}

const withStatus = (body: Body, status: Readonly<Record<string, unknown>>): Body => ({
  ...body,
  status: { ...body.status, ...status },
});

/** What becomes of what Ray says about a job. */
function hearing(change: (status: string, world: World) => string): (inner: RaySend, world: World) => RaySend {
  return (inner, world) => async (request) => {
    const answer = await inner(request);
    if (request.method !== 'GET' || answer.status !== 200) return answer;
    const text = await textOf(answer);
    return answering(
      200,
      text.replace(/"status":"([A-Z]+)"/, (_, status: string) => `"status":"${change(status, world)}"`),
    );
  };
}

async function textOf({ body }: RayResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) text += decoder.decode(bytes, { stream: true });
  return text;
}

function answering(status: number, text: string): RayResponse {
  async function* body() {
    yield new TextEncoder().encode(text);
  }
  return { status, headers: {}, body: body() };
}

function resubmitting(change: (request: RayRequest, world: World) => RayRequest) {
  return (inner: RaySend, world: World): RaySend =>
    (request) =>
      inner(request.method === 'POST' && !request.url.endsWith('/stop') ? change(request, world) : request);
}

/** Whichever head a cluster has, it is called the same. */
const headOf = (cluster: string) => `${cluster}-head`;

function onSameHead(object: KubeObject): KubeObject {
  const { head } = (object as RayCluster).status ?? {};
  const podName = headOf(object.metadata?.name ?? '');
  return head?.podName === undefined ? object : withStatusOf(object, { head: { ...head, podName } });
}

function asSameHead(object: KubeObject): KubeObject {
  const { labels = {} } = object.metadata ?? {};
  if (labels[Label.NodeType] !== NodeType.Head) return object;
  return { ...object, metadata: { ...object.metadata, name: headOf(labels[Label.Cluster] ?? '') } };
}

function neverRestarted(object: KubeObject): KubeObject {
  const { containerStatuses = [] } = (object as Pod).status ?? {};
  const fresh = containerStatuses.map((each) => (each.name === RAY_CONTAINER ? { ...each, restartCount: 0 } : each));
  return withStatusOf(object, { containerStatuses: fresh });
}

function withStatusOf(object: KubeObject, status: Readonly<Record<string, unknown>>): KubeObject {
  const { status: before } = object as { readonly status?: object };
  return before === undefined ? object : ({ ...object, status: { ...before, ...status } } as KubeObject);
}

const LATE_MS = 8_000;

/** Makes a cluster again that was deleted under a job which is submitted from within its head. */
async function bringBack(client: KubeClient, { metadata, spec }: RayCluster): Promise<void> {
  const { name, namespace = '', labels = {}, annotations, ownerReferences = [] } = metadata ?? {};
  if (labels[Label.JobSubmissionMode] !== 'SidecarMode') return;
  const ref = { name: labels[Label.OriginatedFromCrName] ?? '', namespace };
  const job = await client.get(resources.rayJobs, ref).catch(() => undefined);
  if (!['Initializing', 'Running'].includes(job?.status?.jobDeploymentStatus ?? '')) return;
  const again = { name, namespace, labels, annotations: annotations ?? {}, ownerReferences };
  await client.create(resources.rayClusters, { metadata: again, spec } as RayCluster).catch(() => undefined);
}

/** Mistakes that operators of jobs are known for, one of which is put into this one at a time. */
export const MISTAKES = {
  'random-ids': {
    says: 'submits under an id that nobody has written down',
    send: resubmitting((request, { random }) => ({
      ...request,
      body: request.body?.replace(/"submission_id":"[^"]*"/, `"submission_id":"x-${Math.floor(random() * 1e6)}"`),
    })),
  },
  'random-clusters': {
    says: 'makes up the name of a cluster when it makes it',
    client: (inner, { random }) =>
      overriding(inner, {
        create: (original, type, object, ...rest) => {
          const given = object as KubeObject;
          const name = `${given.metadata?.name ?? ''}${Math.floor(random() * 1e4)}`;
          const renamed = { ...given, metadata: { ...given.metadata, name } };
          return original(type, isA(type, 'rayclusters') ? renamed : given, ...rest);
        },
      }),
  },
  'believes-the-worst': {
    says: 'takes a job that runs for one that has failed',
    send: hearing((status) => (status === 'RUNNING' ? 'FAILED' : status)),
  },
  'believes-the-best': {
    says: 'takes a job that waits for one that has succeeded',
    send: hearing((status) => (status === 'PENDING' ? 'SUCCEEDED' : status)),
  },
  'silence-is-failure': {
    says: 'takes a head that does not answer for a job that has failed',
    send: (inner) => async (request) => {
      const isQuestion = request.method === 'GET' && /\/api\/jobs\/[^/]+$/.test(request.url);
      const answer = await inner(request).catch(() => undefined);
      if (answer !== undefined) return answer;
      if (!isQuestion) throw new Error('connect ECONNREFUSED');
      return answering(200, '{"status":"FAILED","message":"no answer"}');
    },
  },
  'hard-of-hearing': {
    says: 'hears now and then that Ray does not know a job',
    send:
      (inner, { random }) =>
      async (request) => {
        const answer = await inner(request);
        return request.method === 'GET' && random() < 0.3 ? answering(404, 'Job does not exist') : answer;
      },
  },
  'forgets-attempts': {
    says: 'does not tell that a job runs once more',
    client: writing((body) => {
      const { attempts: _, ...status } = body.status ?? {};
      return { ...body, status };
    }),
  },
  'blind-writes': {
    says: 'writes its status whatever has happened to the object meanwhile',
    client: writing(({ status = {} }) => ({ status })),
  },
  'writes-nothing': { says: 'does not write its status', client: writing(() => undefined) },
  'counts-twice': {
    says: 'counts a failure twice',
    client: writing((body) =>
      typeof body.status?.failed === 'number' && body.status.failed > 0
        ? withStatus(body, { failed: body.status.failed + 2 })
        : body,
    ),
  },
  contradicts: {
    says: 'calls a job complete that Ray says is running',
    client: writing((body) =>
      body.status?.jobDeploymentStatus === 'Complete' ? withStatus(body, { jobStatus: 'RUNNING' }) : body,
    ),
  },
  'calls-failure-success': {
    says: 'calls a failed job a success',
    client: writing((body) =>
      body.status?.jobStatus === 'FAILED'
        ? withStatus(body, { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', succeeded: 1 })
        : body,
    ),
  },
  reopens: {
    says: 'starts again what has ended',
    client: (inner) =>
      overriding(inner, {
        patch: async (original, type, ref, patch, options) => {
          const answer = await original(type, ref, patch, options);
          if (bodyOf(patch).status?.jobDeploymentStatus === 'Complete') {
            const body = { status: { jobDeploymentStatus: 'Running' } };
            await original(type, ref, { type: 'merge', body }, options);
          }
          return answer;
        },
      }),
  },
  'clears-first': {
    says: 'deletes the cluster before it has written how the job ended',
    client: (inner) =>
      overriding(inner, {
        patch: async (original, type, ref, patch, options) => {
          if (bodyOf(patch).status?.jobDeploymentStatus === 'Complete') {
            const { status } = await inner.get(resources.rayJobs, ref as ObjectRef);
            const cluster = { name: status?.rayClusterName ?? '', namespace: NAMESPACE };
            if (cluster.name !== SHARED) await inner.delete(resources.rayClusters, cluster).catch(() => undefined);
          }
          return original(type, ref, patch, options);
        },
      }),
  },
  'never-clears': {
    says: 'does not delete clusters',
    client: (inner) =>
      overriding(inner, {
        delete: async (original, type, ...rest) =>
          isA(type, 'rayclusters') ? { kind: 'Status' } : original(type, ...rest),
      }),
  },
  'clears-too-much': {
    says: 'deletes a cluster that is not its own',
    client: (inner) =>
      overriding(inner, {
        delete: (original, type, ref, ...rest) => {
          const wrong = { name: SHARED, namespace: NAMESPACE };
          return isA(type, 'rayclusters') ? original(type, wrong) : original(type, ref, ...rest);
        },
      }),
  },
  'edits-the-spec': {
    says: 'writes into the spec',
    client: (inner) =>
      overriding(inner, {
        patch: async (original, type, ref, patch, options) => {
          const isEnd = bodyOf(patch).status?.jobDeploymentStatus === 'Complete';
          if (isEnd) await original(type, ref, { type: 'merge', body: { spec: { suspend: true } } });
          return original(type, ref, patch, options);
        },
      }),
  },
  'holds-on': {
    says: 'never lets a deleted job go',
    client: (inner) =>
      overriding(inner, {
        patch: (original, type, ref, patch, options) =>
          bodyOf(patch).metadata?.finalizers?.length === 0
            ? inner.get(resources.rayJobs, ref as ObjectRef)
            : original(type, ref, patch, options),
      }),
  },
  'submitters-judge': {
    says: 'takes the end of a submitter, or of its log stream, for the end of the job',
    send: (inner, _world, { api }) =>
      hearing((status) => {
        const hasEnded = (job: StoredObject) => (job as Job).status?.conditions !== undefined;
        return status === 'RUNNING' && api.store.list(STORED.submitters).some(hasEnded) ? 'FAILED' : status;
      })(inner, _world),
  },
  'submits-twice': {
    says: 'submits once more, under another id, when it is in doubt',
    send: (inner) => async (request) => {
      const answer = await inner(request);
      const isSubmission = request.method === 'POST' && !request.url.endsWith('/stop');
      const again = request.body?.replace(/"submission_id":"([^"]*)"/, '"submission_id":"$1-2"') ?? '';
      if (isSubmission) await inner({ ...request, body: again }).catch(() => undefined);
      return answer;
    },
  },
  hurries: {
    says: 'does not see pods that are going, and begins an attempt beside them',
    client: (inner) =>
      seeingThrough(inner, 'pods', (event) =>
        event.object.metadata?.deletionTimestamp === undefined ? event : { ...event, type: 'DELETED' },
      ),
  },
  'takes-any-head': {
    says: 'takes Ray on a new head, or restarted, for the one that it submitted to',
    client: (inner) =>
      seeingThrough(
        seeingThrough(inner, 'rayclusters', ({ type, object }) => ({ type, object: onSameHead(object) })),
        'pods',
        ({ type, object }) => ({ type, object: asSameHead(neverRestarted(object)) }),
      ),
  },
  'fails-a-success': {
    says: 'calls a job failed of which Ray has told the success',
    client: writing((body) =>
      body.status?.jobDeploymentStatus === 'Complete' ? withStatus(body, { jobDeploymentStatus: 'Failed' }) : body,
    ),
  },
  'never-stops': {
    says: 'does not tell Ray that the time of a job is over',
    send: (inner) => (request) =>
      request.url.endsWith('/stop') ? Promise.resolve(answering(200, '{}')) : inner(request),
  },
  'brings-back': {
    says: 'makes a cluster again whose head may have run the job',
    client: (inner) =>
      seeingThrough(inner, 'rayclusters', (event) => {
        if (event.type === 'DELETED') void bringBack(inner, event.object);
        return event;
      }),
  },
  'leaves-strays': {
    says: 'repeats requests too late for their attempt, and leaves the clusters that come of it',
    client: (inner, { clock }) =>
      overriding(inner, {
        create: (original, type, object, ...rest) => {
          const again = () => void Promise.resolve(original(type, object)).catch(() => undefined);
          // Whatever is submitted from within a head would run in each of them.
          const { labels = {} } = (object as KubeObject).metadata ?? {};
          const isRepeated = isA(type, 'rayclusters') && labels[Label.JobSubmissionMode] !== 'SidecarMode';
          if (isRepeated) clock.setTimer(LATE_MS, again);
          return original(type, object, ...rest);
        },
        delete: async (original, type, ref, ...rest) => {
          const { name } = ref as ObjectRef;
          const named = isA(type, 'rayclusters') && (await inner.list(resources.rayJobs)).items;
          const isStray = named && !named.some(({ status }) => status?.rayClusterName === name);
          return isStray ? { kind: 'Status' } : original(type, ref, ...rest);
        },
      }),
  },
} as const satisfies Readonly<Record<string, Making>>;

export type Mistake = keyof typeof MISTAKES;

/** How a mistake is made; nothing special where there is none. */
export function makingOf(mistake: Mistake | undefined): Partial<Making> {
  return mistake === undefined ? {} : MISTAKES[mistake];
}
