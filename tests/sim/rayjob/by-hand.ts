import type { StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import { quietly } from '../raycluster/quietly.ts';
import type { Backstage } from '../scenario.ts';
import { rayWorldOf } from './ray-world.ts';
import { asJob, isGoing, NAMESPACE, STORED } from './stage.ts';

/** How the runs are called that users begin themselves. */
export const BY_HAND = 'by-hand-';

const THINK_MS = [0, 1_000, 8_000];
const LOOK_MS = 1_000;

/** The user of a job in InteractiveMode: submits it when its cluster is there, and says under which id. */
export function submitByHand(backstage: Backstage, { metadata: { name, uid } }: StoredObject): void {
  const { api, client, clock, choices } = backstage;
  const id = `${BY_HAND}${uid.slice(-4)}`;
  const act = () => {
    const object = api.store.get({ resource: STORED.jobs, namespace: NAMESPACE, name });
    if (object === undefined || object.metadata.uid !== uid || isGoing(object)) return;
    const { spec, status } = asJob(object);
    if (status?.jobDeploymentStatus !== 'Waiting' || spec?.jobId) return;
    const world = rayWorldOf(backstage);
    const pod = world.podOf(status.rayClusterName ?? '');
    if (pod === undefined) {
      clock.setTimer(LOOK_MS, act);
      return;
    }
    const body = JSON.stringify({ entrypoint: 'python app.py', submission_id: id });
    world.answer(pod, { method: 'POST', path: '/api/jobs/', headers: {}, body });
    void quietly(client.update(resources.rayJobs, { ...object, spec: { ...spec, jobId: id } }));
  };
  clock.setTimer(THINK_MS[choices.pick(THINK_MS.length)] ?? 0, act);
}
