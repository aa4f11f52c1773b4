import { addQuantities, formatQuantity, parseQuantity } from '@manta/api';
import type { Json, JsonObject } from '../../object/json.ts';
import { isTrue, mapPart, mapParts, part, parts, text, withDefaults } from '../read.ts';
import { isLatestImage } from './image-tag.ts';
import { constants, type SetDefaults } from './set-defaults.ts';

const defaultMode = 0o644;
const nanosPerMilli = 1_000_000n;

/** Amounts are kept to a thousandth at most. */
const roundAmounts: SetDefaults = (amounts) =>
  Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, roundUp(value)]));

function roundUp(value: Json): Json {
  if (typeof value !== 'string') return value;
  const parsed = parseQuantity(value);
  if (!parsed.ok || parsed.value.nanos % nanosPerMilli === 0n) return value;
  const { nanos, format } = parsed.value;
  const up = nanos > 0n ? nanos / nanosPerMilli + 1n : nanos / nanosPerMilli - 1n;
  return formatQuantity({ nanos: up * nanosPerMilli, format });
}

const resourceLists: SetDefaults = (object) =>
  ['limits', 'requests', 'capacity', 'allocatable', 'hard', 'used', 'overhead', 'allocatedResources'].reduce(
    (filled, key) => mapPart(filled, key, roundAmounts),
    object,
  );

const container: SetDefaults = (object) =>
  withDefaults(object, {
    imagePullPolicy: isLatestImage(text(object, 'image')) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });

/** What is limited is requested to the same amount. */
const requestLimits: SetDefaults = (object) =>
  mapPart(object, 'resources', (resources) => {
    const limits = part(resources, 'limits');
    if (limits === undefined) return resources;
    return { ...resources, requests: { ...limits, ...part(resources, 'requests') } };
  });

/** On the host's network a port is the same outside and inside. */
const hostPorts: SetDefaults = (object) =>
  mapParts(object, 'ports', (port) => withDefaults(port, { hostPort: port['containerPort'] ?? 0 }));

const pod: SetDefaults = (object) =>
  mapPart(object, 'spec', (given) => {
    const limited = ['containers', 'initContainers'].reduce(
      (spec, key) => mapParts(spec, key, requestLimits),
      withGrace(given),
    );
    const linked = withDefaults(requestWhole(limited), { enableServiceLinks: true });
    if (!isTrue(linked, 'hostNetwork')) return linked;
    return ['containers', 'initContainers'].reduce((spec, key) => mapParts(spec, key, hostPorts), linked);
  });

/** What a pod as a whole is limited to is requested, as much as its containers request or else to the same amount. */
const requestWhole: SetDefaults = (spec) =>
  mapPart(spec, 'resources', (resources) => {
    const limits = part(resources, 'limits') ?? {};
    if (Object.keys(limits).length === 0) return resources;
    const asked = Object.fromEntries(['cpu', 'memory'].flatMap((name) => askedFor(spec, name)));
    const wanted = Object.fromEntries(
      Object.entries(limits).filter(([name]) => /^(cpu|memory|hugepages-.*)$/.test(name)),
    );
    const requests = { ...wanted, ...asked, ...part(resources, 'requests') };
    return Object.keys(requests).length === 0 ? resources : { ...resources, requests };
  });

function askedFor(spec: JsonObject, name: string): readonly (readonly [string, string])[] {
  const amounts = parts(spec, 'containers').flatMap((each) => {
    const parsed = parseQuantity(text(part(part(each, 'resources'), 'requests'), name));
    return parsed.ok ? [parsed.value] : [];
  });
  return amounts.length === 0 ? [] : [[name, formatQuantity(amounts.reduce(addQuantities))]];
}

const podSpec: SetDefaults = (object) => {
  const filled = withDefaults(object, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  });
  const account = text(filled, 'serviceAccountName') || text(filled, 'serviceAccount');
  const overhead = mapPart(filled, 'overhead', roundAmounts);
  if (account === '') return overhead;
  return { ...overhead, serviceAccountName: account, serviceAccount: account };
};

/** A pod's negative time to end in is one second; in a template it stays. */
function withGrace(spec: JsonObject): JsonObject {
  const seconds = spec['terminationGracePeriodSeconds'];
  return typeof seconds === 'number' && seconds < 0 ? { ...spec, terminationGracePeriodSeconds: 1 } : spec;
}

const volume: SetDefaults = (object) => {
  const hasSource = Object.keys(object).some((key) => key !== 'name');
  if (!hasSource) return { ...object, emptyDir: {} };
  return mapPart(object, 'image', (image) =>
    withDefaults(image, { pullPolicy: isLatestImage(text(image, 'reference')) ? 'Always' : 'IfNotPresent' }),
  );
};

const mode: SetDefaults = (object) => withDefaults(object, { defaultMode });

/** A pod's only address is the first of its addresses, and counts where they differ. */
const podAddresses: SetDefaults = (status) => {
  const [one, [first]] = [text(status, 'podIP'), parts(status, 'podIPs')];
  const listed = text(first, 'ip');
  if (one === listed) return status;
  return one === '' ? { ...status, podIP: listed } : { ...status, podIPs: [{ ip: one }] };
};

/** Defaults of pods and of what they consist of, by Go type. */
export const podDefaults: Readonly<Record<string, SetDefaults>> = {
  'core.AzureDiskVolumeSource': constants({
    cachingMode: 'ReadWrite',
    fsType: 'ext4',
    readOnly: false,
    kind: 'Shared',
  }),
  'core.ConfigMapVolumeSource': mode,
  'core.Container': container,
  'core.ContainerPort': constants({ protocol: 'TCP' }),
  'core.DownwardAPIVolumeSource': mode,
  'core.EphemeralContainer': container,
  'core.GRPCAction': constants({ service: '' }),
  'core.HTTPGetAction': constants({ path: '/', scheme: 'HTTP' }),
  'core.HostPathVolumeSource': constants({ type: '' }),
  'core.ISCSIPersistentVolumeSource': constants({ iscsiInterface: 'default' }),
  'core.ISCSIVolumeSource': constants({ iscsiInterface: 'default' }),
  'core.ObjectFieldSelector': constants({ apiVersion: 'v1' }),
  'core.Pod': pod,
  'core.PodSpec': podSpec,
  'core.PodStatus': podAddresses,
  'core.Probe': constants({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  'core.ProjectedVolumeSource': mode,
  'core.RBDPersistentVolumeSource': constants({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  'core.RBDVolumeSource': constants({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  'core.ResourceRequirements': resourceLists,
  'core.ScaleIOPersistentVolumeSource': constants({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  'core.ScaleIOVolumeSource': constants({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  'core.SecretVolumeSource': mode,
  'core.ServiceAccountTokenProjection': constants({ expirationSeconds: 3600 }),
  'core.Volume': volume,
  'core.VolumeResourceRequirements': resourceLists,
};
