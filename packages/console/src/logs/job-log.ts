import { ContainerName, Label, NodeType, type Pod, type RayJob } from '@manta/api';
import { messageOf, RAY_LIMITS } from '@manta/base';
import { type AccessQuestion, resources } from '@manta/kube';
import { createWebSocketStream, WebSocket } from 'ws';
import type { ConsoleParts } from '../console-parts.ts';
import type { ViewerSession } from '../identity/sessions.ts';
import { whileAllowed } from '../identity/while-allowed.ts';
import type { DashboardTarget } from '../ray-dashboard/find-head.ts';
import { openHead } from '../ray-dashboard/open-head.ts';
import { headersForHead } from '../ray-dashboard/proxy-headers.ts';
import { questionAbout } from '../ray-dashboard/viewer-rights.ts';
import type { LogSource } from './log-response.ts';
import { podLogSource } from './pod-log.ts';

export interface JobLog {
  readonly source: LogSource;
  /** Aborted when the viewer loses the right that the log needs. */
  readonly signal: AbortSignal;
}

/** What a job prints: the log of its submitter, which survives the head, else Ray's own log of the job. All with the viewer's rights. */
export async function jobLog(
  parts: ConsoleParts,
  viewer: ViewerSession,
  target: DashboardTarget,
  params: URLSearchParams,
  signal: AbortSignal,
): Promise<JobLog> {
  const { namespace, name } = target;
  const { client } = viewer.access;
  const held = (question: AccessQuestion) => whileAllowed(question, { client, clock: parts.clock, signal });
  try {
    const job: RayJob = await client.get(resources.rayJobs, { namespace, name }, { signal });
    const pod = await submitterPod(viewer, job).catch(() => undefined);
    if (pod !== undefined) {
      const podName = pod.metadata?.name ?? '';
      const question = { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace, name: podName };
      const still = held(question);
      const query = new URLSearchParams(params);
      query.set('container', ContainerName.Submitter);
      return { source: podLogSource({ namespace, pod: podName, params: query }, viewer.access, still), signal: still };
    }
    const jobId = job.status?.jobId ?? '';
    if (jobId === '' || (job.status?.rayClusterName ?? '') === '')
      return { source: nothing(`RayJob ${name} has no output yet: it has not started`), signal };
    const still = held(questionAbout('get', namespace, job.status?.rayClusterName ?? ''));
    return { source: rayLog(parts, viewer, target, jobId, still), signal: still };
  } catch (error) {
    return { source: nothing(messageOf(error)), signal };
  }
}

/** The newest pod that runs, or ran, the submitter of a job. */
async function submitterPod({ access }: ViewerSession, { metadata, spec, status }: RayJob): Promise<Pod | undefined> {
  const { namespace = '', name = '' } = metadata ?? {};
  const mode = spec?.submissionMode || 'K8sJobMode';
  const labelSelector =
    mode === 'K8sJobMode'
      ? `job-name=${name}`
      : mode === 'SidecarMode'
        ? `${Label.Cluster}=${status?.rayClusterName ?? ''},${Label.NodeType}=${NodeType.Head}`
        : undefined;
  if (labelSelector === undefined) return undefined;
  const { items } = await access.client.list(resources.pods, { namespace, labelSelector });
  const started = items.filter(({ status: pod }) => pod?.phase !== 'Pending');
  const newest = started.toSorted((a, b) => createdAt(b).localeCompare(createdAt(a)))[0];
  const has = newest?.spec?.containers.some((container) => container.name === ContainerName.Submitter) === true;
  return has ? newest : undefined;
}

function createdAt({ metadata }: Pod): string {
  return metadata?.creationTimestamp ?? '';
}

function nothing(problem: string): LogSource {
  // oxlint-disable-next-line require-yield
  async function* chunks(): AsyncGenerator<string> {
    throw new Error(problem);
  }
  return { name: 'no log', isFollowed: false, chunks: chunks() };
}

/** Ray's live log of a job, from its beginning; it ends with the job. */
function rayLog(
  { dashboards }: ConsoleParts,
  viewer: ViewerSession,
  target: DashboardTarget,
  jobId: string,
  signal: AbortSignal,
): LogSource {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (dashboards === undefined)
      throw new Error('this console reaches no Ray heads, and the job has no submitter pod');
    const access = await openHead(dashboards, target, viewer, 'get');
    if (!access.isAllowed) throw new Error(access.why);
    const connection = await dashboards.dial(access.head, viewer.access, signal);
    const url = `ws://${access.head.pod}/api/jobs/${encodeURIComponent(jobId)}/logs/tail`;
    const socket = new WebSocket(url, {
      headers: headersForHead({}, access.head),
      perMessageDeflate: false,
      // Memory of the console that a head may fill with one message.
      maxPayload: RAY_LIMITS.logMessageBytes,
      createConnection: () => connection,
    });
    const stop = () => socket.terminate();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const output: AsyncIterable<Uint8Array> = createWebSocketStream(socket);
      yield* output;
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }
  return { name: `Ray's log of job ${jobId}`, isFollowed: true, chunks: chunks() };
}
