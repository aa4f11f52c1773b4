import type { ContainerStatus, Pod } from '@manta/api';
import { eventsOf, refOf, refText } from '../lookup.ts';
import type { World } from '../world.ts';
import { brief, type Cause, type Detector } from './cause.ts';
import type { CauseCode } from './codes.ts';
import { containerStatuses } from './container-statuses.ts';

const CONFIG_REASONS: readonly string[] = ['CreateContainerConfigError', 'CreateContainerError'];

/** What keeps the kubelet from creating a container: a missing Secret or ConfigMap, a volume, a bad setting. */
export const containerConfig: Detector<Pod> = (pod, world) => {
  const status = containerStatuses(pod).find(({ state }) => CONFIG_REASONS.includes(state?.waiting?.reason ?? ''));
  const object = refOf('Pod', pod);
  if (status !== undefined) {
    const { reason = '', message = '' } = status.state?.waiting ?? {};
    const evidence = {
      object,
      source: `status.containerStatuses[${status.name}].state.waiting`,
      text: `${reason}: ${brief(message)}`,
    };
    return (
      missingObject(pod, message, evidence) ??
      commandMissing(pod, status, message, evidence) ??
      other(
        pod,
        'ContainerConfig',
        `container ${status.name} of ${refText(object)} cannot be created: ${brief(message)}`,
        'Correct the container in the pod template.',
        evidence,
      )
    );
  }
  return mountTrouble(pod, world);
};

function mountTrouble(pod: Pod, world: World): Cause | undefined {
  if (pod.status?.phase !== 'Pending' || (pod.spec?.nodeName ?? '') === '') return undefined;
  const object = refOf('Pod', pod);
  const event = eventsOf(world, object).find(
    ({ reason }) => reason === 'FailedMount' || reason === 'FailedAttachVolume',
  );
  if (event === undefined) return undefined;
  const evidence = { object, source: `event ${event.reason}`, text: brief(event.note) };
  return (
    missingObject(pod, event.note ?? '', evidence) ??
    other(
      pod,
      'VolumeMount',
      `a volume of ${refText(object)} cannot be mounted: ${brief(event.note)}`,
      'Check the volumes of the pod template and the storage behind them.',
      evidence,
    )
  );
}

/** The kubelet names what it misses: `secret "x" not found`, `couldn't find key k in Secret ns/x`. */
function missingObject(pod: Pod, message: string, evidence: Cause['evidence'][number]): Cause | undefined {
  const absent = /(secret|configmap) "([^"]+)" not found/i.exec(message);
  const key =
    /couldn't find key (\S+) in (Secret|ConfigMap) (\S+)/i.exec(message) ??
    /references non-existent (secret|configmap) key: (\S+)/i.exec(message);
  const kind = absent?.[1] ?? key?.find((part) => /^(secret|configmap)$/i.test(part));
  if (kind === undefined) return undefined;
  const isSecret = kind.toLowerCase() === 'secret';
  const name = isSecret ? 'Secret' : 'ConfigMap';
  const object = refText(refOf('Pod', pod));
  const { namespace } = pod.metadata ?? {};
  const code = isSecret ? 'MissingSecret' : 'MissingConfigMap';
  if (absent !== null)
    return other(
      pod,
      code,
      `${object} needs ${name} ${absent[2]}, which does not exist`,
      `Create ${name} ${absent[2]} in namespace ${namespace}, or correct its name in the pod template.`,
      evidence,
    );
  return other(
    pod,
    code,
    `${object} needs a key that its ${name} does not have: ${brief(message)}`,
    `Add the key to the ${name}, or correct it in the pod template.`,
    evidence,
  );
}

const NO_COMMAND =
  /executable file not found|no such file or directory|exec format error|permission denied|not found in \$PATH|ENOENT/i;

function commandMissing(
  pod: Pod,
  { name }: ContainerStatus,
  message: string,
  evidence: Cause['evidence'][number],
): Cause | undefined {
  if (!NO_COMMAND.test(message)) return undefined;
  return other(
    pod,
    'CommandNotFound',
    `the image of container ${name} of ${refText(refOf('Pod', pod))} has no such command: ${brief(message)}`,
    'Correct command and args in the pod template, or use an image that has the command.',
    evidence,
  );
}

/** A container that the runtime could not start at all. */
export const containerStart: Detector<Pod> = (pod) => {
  const object = refOf('Pod', pod);
  for (const status of containerStatuses(pod)) {
    const { state, lastState } = status;
    const failed = [state?.terminated, lastState?.terminated].find((ended) =>
      /^(ContainerCannotRun|StartError)$/.test(ended?.reason ?? ''),
    );
    const waiting = state?.waiting?.reason === 'RunContainerError' ? state.waiting : undefined;
    const message = failed?.message ?? waiting?.message;
    if (failed === undefined && waiting === undefined) continue;
    const evidence = { object, source: `status.containerStatuses[${status.name}]`, text: brief(message) };
    return (
      commandMissing(pod, status, message ?? '', evidence) ??
      other(
        pod,
        'ContainerStart',
        `container ${status.name} of ${refText(object)} cannot be started: ${brief(message)}`,
        'Correct the container in the pod template.',
        evidence,
      )
    );
  }
  return undefined;
};

function other(
  pod: Pod,
  code: CauseCode,
  sentence: string,
  action: string,
  evidence: Cause['evidence'][number],
): Cause {
  return { code, object: refOf('Pod', pod), sentence, action, evidence: [evidence] };
}
