import type { ContainerStatus, Pod } from '@manta/api';
import { eventsOf, refOf, refText } from '../lookup.ts';
import type { World } from '../world.ts';
import { brief, type Cause, type Detector } from './cause.ts';
import type { CauseCode } from './codes.ts';
import { containerStatuses } from './container-statuses.ts';

const PULL_REASONS: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
];

/** Why the image of a container cannot be pulled. */
export const imageTrouble: Detector<Pod> = (pod, world) => {
  const status = containerStatuses(pod).find(({ state }) => PULL_REASONS.includes(state?.waiting?.reason ?? ''));
  return status === undefined ? undefined : pullCause(pod, status, world);
};

function pullCause(pod: Pod, status: ContainerStatus, world: World): Cause {
  const object = refOf('Pod', pod);
  const { reason = '', message = '' } = status.state?.waiting ?? {};
  // While the kubelet backs off, the container only says so; the event has the registry's words.
  const event = eventsOf(world, object).find(({ reason: of, note = '' }) => of === 'Failed' && /pull/i.test(note));
  const words = `${message}\n${event?.note ?? ''}`;
  const kind = KINDS.find(({ pattern }) => pattern.test(`${reason}\n${words}`));
  const { code, says, action } = kind ?? OTHER;
  const image = status.image || imageOf(pod, status.name);
  const evidence = [
    {
      object,
      source: `status.containerStatuses[${status.name}].state.waiting`,
      text: `${reason}${message === '' ? '' : `: ${brief(message)}`}`,
    },
  ];
  return {
    code,
    object,
    sentence: `${refText(object)} cannot pull image ${image}: ${says}`,
    action: action.replace('IMAGE', image),
    evidence:
      event === undefined ? evidence : [...evidence, { object, source: 'event Failed', text: brief(event.note) }],
  };
}

function imageOf(pod: Pod, name: string): string {
  return (
    [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find((container) => container.name === name)
      ?.image ?? ''
  );
}

interface PullKind {
  readonly code: CauseCode;
  readonly pattern: RegExp;
  readonly says: string;
  readonly action: string;
}

const KINDS: readonly PullKind[] = [
  {
    code: 'InvalidImageName',
    pattern: /InvalidImageName|invalid reference format/i,
    says: 'the name is malformed',
    action: 'Correct the image name in the pod template.',
  },
  {
    code: 'ImageNeverPulled',
    pattern: /ErrImageNeverPull/,
    says: 'it is not on the node, and imagePullPolicy is Never',
    action: 'Load the image onto the nodes, or set imagePullPolicy: IfNotPresent.',
  },
  {
    code: 'ImageNotFound',
    pattern: /manifest unknown|not found|does not exist|name unknown|no such image/i,
    says: 'the registry has no such image',
    action: 'Correct the name or the tag in the pod template; IMAGE must exist for the architecture of the nodes.',
  },
  {
    code: 'ImagePullDenied',
    pattern: /unauthorized|denied|forbidden|authentication required|401|403/i,
    says: 'the registry denies access',
    action: 'Add imagePullSecrets with valid credentials to the pod template, or make the image public.',
  },
  {
    code: 'RegistryUnreachable',
    pattern:
      /timeout|timed out|no such host|connection refused|deadline exceeded|i\/o|network|temporary failure|TLS handshake/i,
    says: 'the registry cannot be reached from the node',
    action: 'Check the DNS, proxy and firewall of the nodes, and the registry host in IMAGE.',
  },
];

const OTHER: Omit<PullKind, 'pattern'> = {
  code: 'ImagePull',
  says: 'the pull fails',
  action: 'Look at the registry and at the name IMAGE.',
};
