import type { Pod, RayJob } from '@manta/api';

/** One stage of a job's life, for the timeline. */
export interface Stage {
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** `wait`: others decide how long it takes. */
  readonly tone: 'run' | 'ok' | 'bad' | 'wait';
}

/** The stages that can be told from the job and its pods, in order: waiting for a node, starting the head, workers, the job itself. */
export function stagesOf(job: RayJob, pods: readonly Pod[], now: number): readonly Stage[] {
  const { status, metadata } = job;
  // A job that was tried again shows its last attempt: the earlier ones have their own rows in the table of attempts.
  const attempts = status?.attempts ?? [];
  const created = time(attempts.length > 1 ? attempts.at(-1)?.startTime : metadata?.creationTimestamp);
  if (created === undefined) return [];
  const end = time(status?.endTime) ?? now;
  const heads = pods.filter((pod) => pod.metadata?.labels?.['ray.io/node-type'] === 'head');
  const workers = pods.filter((pod) => pod.metadata?.labels?.['ray.io/node-type'] === 'worker');
  const head = heads[0];
  const started = Math.max(created, time(status?.startTime) ?? created);
  const headCreated = time(head?.metadata?.creationTimestamp);
  const headScheduled = transition(head, 'PodScheduled');
  const headStarted = time(head?.status?.containerStatuses?.[0]?.state?.running?.startedAt);
  const headReady = transition(head, 'Ready') ?? time(status?.rayJobInfo?.startTime);
  const workersReady = latest(workers.map((pod) => transition(pod, 'Ready')));
  const running = time(status?.rayJobInfo?.startTime);
  const isBad = status?.jobDeploymentStatus === 'Failed';
  const stages: readonly (Stage | undefined)[] = [
    stage('Accepted', created, started, 'wait'),
    stage('Scheduled', headCreated ?? started, headScheduled, 'wait'),
    stage('Image', headScheduled, headStarted, 'wait'),
    stage('Head', headStarted ?? headScheduled ?? started, headReady),
    stage('Workers', workers.length === 0 ? undefined : (headScheduled ?? started), workersReady),
    stage('Submitted', headReady, running, 'wait'),
    running === undefined
      ? undefined
      : {
          title: 'Running',
          fromMs: running,
          toMs: Math.max(running, time(status?.rayJobInfo?.endTime) ?? end),
          tone: isBad ? 'bad' : status?.endTime === undefined ? 'run' : 'ok',
        },
  ];
  const known = stages.filter((each) => each !== undefined);
  if (status?.endTime !== undefined || running !== undefined) return known;
  // Still on its way: the last stage goes on.
  const last = known.at(-1);
  return last === undefined ? known : [...known.slice(0, -1), { ...last, toMs: Math.max(last.toMs, now) }];
}

function stage(
  title: string,
  fromMs: number | undefined,
  toMs: number | undefined,
  tone: Stage['tone'] = 'run',
): Stage | undefined {
  return fromMs === undefined || toMs === undefined || toMs < fromMs ? undefined : { title, fromMs, toMs, tone };
}

function transition(pod: Pod | undefined, type: string): number | undefined {
  const condition = pod?.status?.conditions?.find((each) => each.type === type && each.status === 'True');
  return time(condition?.lastTransitionTime);
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function time(text: string | null | undefined): number | undefined {
  return text === undefined || text === null || text === '' ? undefined : Date.parse(text);
}
