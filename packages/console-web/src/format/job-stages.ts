import type { Pod, RayJob } from '@manta/api';

/** One stage of a job's life, for the timeline. */
export interface Stage {
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly tone: 'run' | 'ok' | 'bad';
}

/** The stages that can be told from the job and its pods, in order: waiting for a node, starting the head, workers, the job itself. */
export function stagesOf(job: RayJob, pods: readonly Pod[], now: number): readonly Stage[] {
  const { status, metadata } = job;
  const created = time(metadata?.creationTimestamp);
  if (created === undefined) return [];
  const end = time(status?.endTime) ?? now;
  const heads = pods.filter((pod) => pod.metadata?.labels?.['ray.io/node-type'] === 'head');
  const workers = pods.filter((pod) => pod.metadata?.labels?.['ray.io/node-type'] === 'worker');
  const head = heads[0];
  const started = time(status?.startTime) ?? created;
  const headCreated = time(head?.metadata?.creationTimestamp);
  const headScheduled = transition(head, 'PodScheduled');
  const headReady = transition(head, 'Ready') ?? time(status?.rayJobInfo?.startTime);
  const workersReady = latest(workers.map((pod) => transition(pod, 'Ready')));
  const running = time(status?.rayJobInfo?.startTime);
  const isBad = status?.jobDeploymentStatus === 'Failed';
  const stages: readonly (Stage | undefined)[] = [
    stage('Accepted', created, started),
    stage('Scheduled', headCreated ?? started, headScheduled),
    stage('Head', headScheduled ?? started, headReady),
    stage('Workers', workers.length === 0 ? undefined : (headScheduled ?? started), workersReady),
    stage('Submitted', headReady, running),
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

function stage(title: string, fromMs: number | undefined, toMs: number | undefined): Stage | undefined {
  return fromMs === undefined || toMs === undefined || toMs < fromMs ? undefined : { title, fromMs, toMs, tone: 'run' };
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
