import { ownValue } from '@manta/base';
import { goQuote, parseQuantity } from '@manta/api';
import { duplicate, forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { checkLabelName, checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, parts, text } from '../read.ts';
import { type Causes, checkNamed, checkOneOf, checkParts, checkPresent } from './check.ts';
import { checkClaimSpec } from './claim.ts';
import { checkFieldRef, checkResourceRef, volumeFields } from './env.ts';
import { checkNoBacksteps, checkNotReserved } from './file-path.ts';

type CheckSource = (source: JsonObject, path: string) => Causes;

const present =
  (...keys: readonly string[]): CheckSource =>
  (source, path) =>
    keys.flatMap((key) => checkPresent(source, key, path));

const anything: CheckSource = () => [];

/** Where the data of a volume can come from, in the order in which the server looks. */
const sources: Readonly<Record<string, CheckSource>> = {
  emptyDir: (source, path) => {
    const limit = parseQuantity(text(source, 'sizeLimit'));
    if (!limit.ok || limit.value.nanos >= 0n) return [];
    return [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
  },
  hostPath: checkHostPath,
  gitRepo: present('repository'),
  gcePersistentDisk: anything,
  awsElasticBlockStore: anything,
  secret: (source, path) => [...checkPresent(source, 'secretName', path), ...filesCauses(source, path)],
  nfs: (source, path) => [
    ...present('server', 'path')(source, path),
    ...(text(source, 'path').startsWith('/')
      ? []
      : [invalid(`${path}.path`, text(source, 'path'), 'must be an absolute path')]),
  ],
  iscsi: anything,
  glusterfs: present('endpoints', 'path'),
  flocker: anything,
  persistentVolumeClaim: present('claimName'),
  rbd: anything,
  cinder: anything,
  cephfs: anything,
  downwardAPI: (source, path) => [
    ...modeCauses(source, 'defaultMode', path),
    ...parts(source, 'items').flatMap((file) => fileCauses(file, path)),
  ],
  fc: anything,
  flexVolume: anything,
  configMap: (source, path) => [...checkPresent(source, 'name', path), ...filesCauses(source, path)],
  azureFile: anything,
  vsphereVolume: anything,
  portworxVolume: anything,
  quobyte: anything,
  azureDisk: anything,
  storageos: anything,
  projected: projectedCauses,
  scaleIO: anything,
  csi: present('driver'),
  ephemeral: ephemeralCauses,
  image: (source, path) => [
    ...checkPresent(source, 'reference', path),
    ...checkOneOf(source, 'pullPolicy', path, ['Always', 'IfNotPresent', 'Never']),
  ],
};

/** The volumes of a pod that are sound, by name, and what is wrong with the others. */
export interface CheckedVolumes {
  readonly names: ReadonlySet<string>;
  readonly causes: Causes;
}

/** Checks the volumes of a pod. */
export function checkVolumes(spec: JsonObject, path: string, podName: string): CheckedVolumes {
  const names = new Set<string>();
  const volumes = parts(spec, 'volumes');
  const made = new Set(
    volumes.filter((volume) => volume['ephemeral'] !== undefined).map((volume) => `${podName}-${text(volume, 'name')}`),
  );
  const causes = volumes.flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const name = text(volume, 'name');
    const found = [...sourceCauses(volume, at), ...checkNamed(volume, 'name', at, checkLabelName)];
    if (names.has(name)) found.push(duplicate(`${at}.name`, name));
    if (sourcesOf(volume)[0] === 'ephemeral' && podName !== '')
      found.push(...claimNameCauses(`${podName}-${name}`, name, `${at}.name`));
    if (found.length === 0) names.add(name);
    const claim = text(part(volume, 'persistentVolumeClaim'), 'claimName');
    if (podName === '' || claim === '' || !made.has(claim)) return found;
    const problem = 'must not reference a PVC that gets created for an ephemeral volume';
    return [...found, invalid(`${at}.persistentVolumeClaim.claimName`, claim, problem)];
  });
  return { names, causes };
}

function sourcesOf(volume: JsonObject): readonly string[] {
  return Object.keys(sources).filter((key) => ownValue(volume, key) !== undefined);
}

function claimNameCauses(claim: string, name: string, field: string): Causes {
  return checkSubdomainName(claim).map((problem) => invalid(field, name, `PVC name ${goQuote(claim)}: ${problem}`));
}

function sourceCauses(volume: JsonObject, path: string): Causes[number][] {
  const given = sourcesOf(volume);
  if (given.length === 0) return [required(path, 'must specify a volume type')];
  return given.flatMap((key, index) =>
    index === 0
      ? (ownValue(sources, key)?.(part(volume, key) ?? {}, `${path}.${key}`) ?? [])
      : [forbidden(`${path}.${key}`, 'may not specify more than 1 volume type')],
  );
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Checks a path on the node. */
export function checkHostPath(source: JsonObject, path: string): Causes {
  const target = text(source, 'path');
  if (target === '') return [required(`${path}.path`)];
  const type = text(source, 'type');
  return [
    ...checkNoBacksteps(target, `${path}.path`),
    ...(hostPathTypes.includes(type) ? [] : [notSupported(`${path}.type`, type, hostPathTypes)]),
  ];
}

const modeProblem = 'must be a number between 0 and 0777 (octal), both inclusive';

function modeCauses(source: JsonObject, key: string, path: string): Causes {
  const mode = number(source, key);
  return mode === undefined || (mode >= 0 && mode <= 0o777) ? [] : [invalid(`${path}.${key}`, mode, modeProblem)];
}

function filesCauses(source: JsonObject, path: string): Causes {
  return [...modeCauses(source, 'defaultMode', path), ...checkParts(source, 'items', path, keyCauses)];
}

function keyCauses(item: JsonObject, path: string): Causes {
  return [
    ...present('key', 'path')(item, path),
    ...checkNotReserved(text(item, 'path'), `${path}.path`),
    ...modeCauses(item, 'mode', path),
  ];
}

function fileCauses(file: JsonObject, path: string): Causes {
  const field = part(file, 'fieldRef');
  const resource = part(file, 'resourceFieldRef');
  const causes: Causes[number][] = [
    ...checkPresent(file, 'path', path),
    ...checkNotReserved(text(file, 'path'), `${path}.path`),
  ];
  if (field !== undefined) {
    causes.push(...checkFieldRef(field, `${path}.fieldRef`, volumeFields));
    if (resource !== undefined) {
      causes.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resource !== undefined) causes.push(...checkResourceRef(resource, `${path}.resourceFieldRef`, true));
  else causes.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  return [...causes, ...modeCauses(file, 'mode', path)];
}

function projectedCauses(source: JsonObject, path: string): Causes {
  const paths = new Set<string>();
  const isTaken = (target: string) => target !== '' && (paths.has(target) || !paths.add(target));
  return [
    ...modeCauses(source, 'defaultMode', path),
    ...checkParts(source, 'sources', path, (projection, at) => projectionCauses(projection, at, path, isTaken)),
  ];
}

const projections = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
] as const;

function projectionCauses(
  projection: JsonObject,
  at: string,
  path: string,
  isTaken: (target: string) => boolean,
): Causes {
  const given = projections.filter((key) => ownValue(projection, key) !== undefined);
  const causes: Causes[number][] = given.flatMap((key): Causes => {
    const source = part(projection, key) ?? {};
    if (key === 'serviceAccountToken') return tokenCauses(source, `${at}.${key}`, path);
    if (key !== 'secret' && key !== 'configMap' && key !== 'downwardAPI') return [];
    const name = text(source, 'name');
    const own = key === 'downwardAPI' ? [] : checkPresent(source, 'name', `${at}.${key}`);
    const files = parts(source, 'items').flatMap((item, index) => [
      ...(key === 'downwardAPI' ? fileCauses(item, `${at}.${key}`) : keyCauses(item, `${at}.${key}.items[${index}]`)),
      ...(isTaken(text(item, 'path'))
        ? [invalid(path, key === 'downwardAPI' ? text(item, 'path') : name, 'conflicting duplicate paths')]
        : []),
    ]);
    return [...own, ...files];
  });
  if (given.length > 1) causes.push(forbidden(at, 'may not specify more than 1 volume type'));
  return causes;
}

function tokenCauses(token: JsonObject, at: string, path: string): Causes {
  const seconds = number(token, 'expirationSeconds') ?? 0;
  const target = text(token, 'path');
  return [
    ...(seconds < 600
      ? [invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > 2 ** 32
      ? [invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(target === '' ? [required(`${path}.path`)] : checkNotReserved(target, `${path}.path`)),
  ];
}

function ephemeralCauses(source: JsonObject, path: string): Causes {
  const template = part(source, 'volumeClaimTemplate');
  if (template === undefined) return [required(`${path}.volumeClaimTemplate`)];
  return checkClaimSpec(part(template, 'spec') ?? {}, `${path}.volumeClaimTemplate.spec`);
}
