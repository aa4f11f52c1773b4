import { forbidden, invalid, required } from '../../field/cause.ts';
import { checkLabelName, checkQualifiedName, checkSubdomainName } from '../../field/names.ts';
import { validateLabels } from '../../field/object-meta.ts';
import { regexError } from '../../field/regex-error.ts';
import type { JsonObject } from '../../object/json.ts';
import { isTrue, number, part, parts, text, texts } from '../read.ts';
import {
  type Causes,
  checkOneOf,
  checkOptional,
  checkOptionalOneOf,
  checkParts,
  checkRange,
  checkValue,
} from './check.ts';
import { checkContainers } from './container.ts';
import { checkIp } from './ip.ts';
import { checkPodResources } from './resources.ts';
import { checkAffinity, checkSpread, checkTolerations } from './scheduling.ts';
import { checkHostUsers, checkPodSecurity } from './security.ts';
import { checkVolumes } from './volumes.ts';

const maxInt32 = 2 ** 31 - 1;

/** Checks what a pod or a pod's template says; `podName` is empty for templates. */
export function checkPodSpec(spec: JsonObject, path: string, podName: string): Causes {
  const volumes = checkVolumes(spec, path, podName);
  return [
    ...volumes.causes,
    ...checkContainers(spec, path, volumes.names),
    ...checkPodResources(spec, path),
    ...hostNetworkCauses(spec, path, podName !== ''),
    ...checkOneOf(spec, 'restartPolicy', path, ['Always', 'OnFailure', 'Never']),
    ...checkOneOf(spec, 'dnsPolicy', path, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...validateLabels(spec['nodeSelector'], `${path}.nodeSelector`),
    ...checkPodSecurity(spec, path),
    ...checkAffinity(spec, path),
    ...dnsCauses(spec, path),
    ...parts(spec, 'readinessGates').flatMap((gate, index) =>
      checkValue(text(gate, 'conditionType'), `${path}.readinessGates[${index}].conditionType`, checkQualifiedName),
    ),
    ...gateCauses(spec, path),
    ...checkSpread(spec, path),
    ...checkHostUsers(spec, path),
    ...checkOptional(spec, 'serviceAccountName', path, checkSubdomainName),
    ...checkOptional(spec, 'nodeName', path, checkSubdomainName),
    ...checkRange(spec, 'activeDeadlineSeconds', path, 1, maxInt32),
    ...checkOptional(spec, 'hostname', path, checkLabelName),
    ...checkOptional(spec, 'subdomain', path, checkLabelName),
    ...checkTolerations(spec, path),
    ...aliasCauses(spec, path),
    ...checkOptional(spec, 'priorityClassName', path, checkSubdomainName),
    ...runtimeCauses(spec, path),
    ...checkOptionalOneOf(spec, 'preemptionPolicy', path, ['PreemptLowerPriority', 'Never']),
  ];
}

function runtimeCauses(spec: JsonObject, path: string): Causes {
  const name = spec['runtimeClassName'];
  return typeof name === 'string' ? checkValue(name, `${path}.runtimeClassName`, checkSubdomainName) : [];
}

function hostNetworkCauses(spec: JsonObject, path: string, isPod: boolean): Causes {
  if (!isTrue(spec, 'hostNetwork')) return [];
  return checkParts(spec, 'containers', path, (container, at) =>
    checkParts(container, 'ports', at, (port, portPath) => {
      const [outside, inside] = [number(port, 'hostPort') ?? 0, number(port, 'containerPort') ?? 0];
      if ((!isPod && outside === 0) || outside === inside) return [];
      return [invalid(`${portPath}.hostPort`, outside, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

const underscoreLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const underscoreName = `${underscoreLabel}(\\.${underscoreLabel})*`;
const underscorePattern = new RegExp(`^${underscoreName}$`);

function checkSearch(search: string): readonly string[] {
  if (underscorePattern.test(search)) return [];
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [regexError(message, underscoreName, 'example.com')];
}

function dnsCauses(spec: JsonObject, path: string): Causes {
  const config = part(spec, 'dnsConfig');
  const at = `${path}.dnsConfig`;
  const servers = texts(config, 'nameservers');
  if (text(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) return [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      return [required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
    }
  }
  const searches = texts(config, 'searches');
  return [
    ...(servers.length > 3 ? [invalid(`${at}.nameservers`, servers, 'must not have more than 3 nameservers')] : []),
    ...servers.flatMap((server, index) => checkIp(server, `${at}.nameservers[${index}]`)),
    ...(searches.length > 32 ? [invalid(`${at}.searches`, searches, 'must not have more than 32 search paths')] : []),
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : checkValue(search.replace(/\.$/, ''), `${at}.searches[${index}]`, checkSearch),
    ),
    ...parts(config, 'options').flatMap((option, index) =>
      text(option, 'name') === '' ? [required(`${at}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function gateCauses(spec: JsonObject, path: string): Causes {
  const seen = new Set<string>();
  return parts(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = text(gate, 'name');
    const field = `${path}.schedulingGates[${index}]`;
    const causes = checkValue(name, field, checkQualifiedName);
    if (seen.has(name))
      return [...causes, { reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(name)}`, field }];
    seen.add(name);
    return causes;
  });
}

function aliasCauses(spec: JsonObject, path: string): Causes {
  return checkParts(spec, 'hostAliases', path, (alias, at) => [
    ...checkIp(text(alias, 'ip'), `${at}.ip`),
    ...texts(alias, 'hostnames').flatMap((name, index) =>
      checkValue(name, `${at}.hostnames[${index}]`, checkSubdomainName),
    ),
  ]);
}

const mirror = 'kubernetes.io/config.mirror';

/** A mirror pod (of a static pod) must name its node. */
function mirrorCauses(object: JsonObject, spec: JsonObject): Causes {
  const hash = part(part(object, 'metadata'), 'annotations')?.[mirror];
  if (hash === undefined || text(spec, 'nodeName') !== '') return [];
  return [invalid(`metadata.annotations[${mirror}]`, hash, 'must set spec.nodeName if mirror pod annotation is set')];
}

/** Checks a pod. */
export function checkPod(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const images = ['containers', 'initContainers'].flatMap((key) =>
    checkParts(spec, key, 'spec', (container, at) => {
      const image = text(container, 'image');
      return image === image.trim()
        ? []
        : [invalid(`${at}.image`, image, 'must not have leading or trailing whitespace')];
    }),
  );
  return [
    ...checkPodSpec(spec, 'spec', text(part(object, 'metadata'), 'name') || 'pod'),
    ...mirrorCauses(object, spec),
    ...accountTokenCauses(spec),
    ...images,
    ...(parts(spec, 'ephemeralContainers').length > 0
      ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')]
      : []),
    ...(text(spec, 'nodeName') !== '' && parts(spec, 'schedulingGates').length > 0
      ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ];
}

function accountTokenCauses(spec: JsonObject): Causes {
  if (text(spec, 'serviceAccountName') !== '') return [];
  return checkParts(spec, 'volumes', 'spec', (volume, at) =>
    checkParts(part(volume, 'projected'), 'sources', `${at}.projected`, (source, sourcePath) =>
      source['serviceAccountToken'] === undefined
        ? []
        : [forbidden(`${sourcePath}.serviceAccountToken`, 'must not be specified when serviceAccountName is not set')],
    ),
  );
}
