import { type Container, ContainerName, EnvName, Label, type PodStatus } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import { isTerminal } from '@manta/ray';
import type { Backstage } from '../scenario.ts';
import { lifeOf } from './ledger.ts';
import { rayWorldOf } from './ray-world.ts';
import { asJob, NAMESPACE, STORED } from './stage.ts';

/** What becomes of a submitter: it does its work, its log stream is cut, or it dies before it did anything. */
type Fate =
  | { readonly kind: 'works' }
  | { readonly kind: 'cut'; readonly afterMs: number }
  /** Its log stream is cut each second; its pod is started again, until Kubernetes has had enough. */
  | { readonly kind: 'flaky'; readonly tries: number }
  | { readonly kind: 'dies' };

interface Submitter {
  readonly startMs: number;
  readonly id: string;
  readonly cluster: () => string;
  readonly isThere: () => boolean;
  readonly end: (isGood: boolean) => void;
}

const BEAT_MS = 1_000;
/** After so many looks a submitter gives up, as a Job does after its last try. */
const PATIENCE = 90;
const START_MS = [0, 300, 4_000];
/** A pod that finds no place for that long comes up when nobody waits for it any more. */
const LATE_MS = 400_000;

/** Runs the Kubernetes Job of a RayJob: its script, and its end. */
export function runSubmitter(backstage: Backstage, job: StoredObject): void {
  const key = { resource: STORED.submitters, namespace: NAMESPACE, name: job.metadata.name };
  const current = () => {
    const found = backstage.api.store.get(key);
    return found?.metadata.uid === job.metadata.uid ? found : undefined;
  };
  const { template } = job['spec'] as { readonly template: { readonly spec: { readonly containers: Container[] } } };
  const env = template.spec.containers[0]?.env ?? [];
  const address = env.find(({ name }) => name === EnvName.DashboardAddress)?.value ?? '';
  const object = backstage.api.store.get({ ...key, resource: STORED.jobs });
  const hasDeadline = object !== undefined && asJob(object).spec?.activeDeadlineSeconds !== undefined;
  const isLate = hasDeadline && backstage.choices.chance(0.5);
  run(backstage, {
    startMs: isLate ? LATE_MS : startOf(backstage),
    id: idOf(env),
    cluster: () => address.split('-head-svc')[0] ?? '',
    isThere: () => current() !== undefined,
    end: (isGood) => {
      const found = current();
      const at = new Date(backstage.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = [{ type: isGood ? 'Complete' : 'Failed', status: 'True', lastTransitionTime: at }];
      const reason = isGood ? {} : { reason: 'BackoffLimitExceeded', message: 'Job has reached the limit' };
      const status = { conditions: [{ ...conditions[0], ...reason }], ...(isGood ? { completionTime: at } : {}) };
      if (found !== undefined) backstage.api.store.update(key, { ...found, status });
    },
  });
}

/** Runs the submitter that sits in a head pod. */
export function runSidecar(backstage: Backstage, pod: StoredObject): void {
  const key = { resource: STORED.pods, namespace: NAMESPACE, name: pod.metadata.name };
  const current = () => {
    const found = backstage.api.store.get(key);
    return found?.metadata.uid === pod.metadata.uid ? found : undefined;
  };
  const { containers } = pod['spec'] as { readonly containers: readonly Container[] };
  const env = containers.find(({ name }) => name === ContainerName.Submitter)?.env ?? [];
  run(backstage, {
    startMs: startOf(backstage),
    id: idOf(env),
    cluster: () => pod.metadata.labels?.[Label.Cluster] ?? '',
    isThere: () => current() !== undefined,
    end: (isGood) => {
      const found = current();
      if (found === undefined || (found['status'] as PodStatus).phase === 'Failed') return;
      const finishedAt = new Date(backstage.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const terminated = { exitCode: isGood ? 0 : 1, reason: isGood ? 'Completed' : 'Error', finishedAt };
      const ended = { name: ContainerName.Submitter, state: { terminated }, restartCount: 0 };
      const status = found['status'] as PodStatus;
      const others = (status.containerStatuses ?? []).filter(({ name }) => name !== ContainerName.Submitter);
      backstage.api.store.update(key, { ...found, status: { ...status, containerStatuses: [...others, ended] } });
    },
  });
}

function startOf({ choices }: Backstage): number {
  return START_MS[choices.pick(START_MS.length)] ?? 0;
}

function idOf(env: Container['env']): string {
  return env?.find(({ name }) => name === EnvName.JobSubmissionId)?.value ?? '';
}

/** Waits for the head, submits unless it knows the job, follows it: as the operator's script does. */
function run(backstage: Backstage, submitter: Submitter): void {
  const { clock, choices } = backstage;
  const world = rayWorldOf(backstage);
  const fate = fateOf(backstage);
  let submittedTo: string | undefined;
  let submittedAt = 0;
  let cuts = 0;
  const look = (left: number) => {
    if (!submitter.isThere()) return;
    if (fate.kind === 'dies' || left === 0) return submitter.end(false);
    const pod = world.podOf(submitter.cluster());
    if (pod !== undefined && submittedTo === undefined) {
      const body = JSON.stringify({ entrypoint: 'python app.py', submission_id: submitter.id });
      world.answer(pod, { method: 'POST', path: '/api/jobs/', headers: {}, body });
      submittedTo = lifeOf(pod);
      submittedAt = clock.now();
    }
    // The head that was talked to is gone: following ends with an error.
    if (submittedTo !== undefined && (pod === undefined || lifeOf(pod) !== submittedTo)) return submitter.end(false);
    if (submittedTo !== undefined && fate.kind === 'flaky') {
      cuts += 1;
      if (cuts > fate.tries) return submitter.end(false);
      // The next pod submits under the same id, which is no second job.
      submittedTo = undefined;
    }
    if (submittedTo !== undefined && fate.kind === 'cut' && clock.now() - submittedAt >= fate.afterMs)
      return submitter.end(choices.chance(0.5));
    const status = pod === undefined ? undefined : world.headOf(pod).jobs.get(submitter.id)?.status;
    if (status !== undefined && isTerminal(status)) return submitter.end(status === 'SUCCEEDED');
    clock.setTimer(BEAT_MS, () => look(left - 1));
  };
  clock.setTimer(submitter.startMs, () => look(PATIENCE));
}

function fateOf({ choices }: Backstage): Fate {
  const draw = choices.pick(10);
  if (draw < 5) return { kind: 'works' };
  if (draw < 6) return { kind: 'flaky', tries: 3 };
  return draw < 9 ? { kind: 'cut', afterMs: 1_000 * choices.pick(10) } : { kind: 'dies' };
}
