import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../field/cause.ts';
import { checkLabelName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { isTrue, number, part, parts, text } from '../read.ts';
import { type Causes, checkNamed, checkOneOf, checkParts, checkPort, checkPortName, checkPresent } from './check.ts';
import { checkEnv } from './env.ts';
import { checkDescending } from './file-path.ts';
import { checkNoProbes, checkProbes } from './probe.ts';
import { checkResources } from './resources.ts';
import { checkSecurity, hasHostUsers } from './security.ts';

/** What a container's check needs to know of its pod. */
interface Surroundings {
  readonly spec: JsonObject;
  readonly volumes: ReadonlySet<string>;
}

/** Checks all containers of a pod. */
export function checkContainers(spec: JsonObject, path: string, volumes: ReadonlySet<string>): Causes {
  const around = { spec, volumes };
  const grace = number(spec, 'terminationGracePeriodSeconds');
  const main = parts(spec, 'containers');
  if (main.length === 0) return [required(`${path}.containers`), ...initCauses(around, path, grace)];
  const names = new Set<string>();
  return [
    ...checkParts(spec, 'containers', path, (container, at) => [
      ...containerCauses(container, at, around),
      ...nameCauses(container, at, names),
      ...checkProbes(container, at, grace),
      ...restartCauses(container, at),
    ]),
    ...hostPortCauses(main, `${path}.containers`),
    ...initCauses(around, path, grace),
  ];
}

function initCauses(around: Surroundings, path: string, grace: number | undefined): Causes {
  const names = new Set(parts(around.spec, 'containers').map((container) => text(container, 'name')));
  return checkParts(around.spec, 'initContainers', path, (container, at) => [
    ...containerCauses(container, at, around),
    ...restartCauses(container, at),
    ...nameCauses(container, at, names),
    ...hostPortCauses([container], `${path}.initContainers`),
    ...(text(container, 'restartPolicy') === 'Always'
      ? checkProbes(container, at, grace)
      : checkNoProbes(container, at)),
  ]);
}

function nameCauses(container: JsonObject, path: string, names: Set<string>): Causes {
  const name = text(container, 'name');
  if (names.has(name)) return [duplicate(`${path}.name`, name)];
  names.add(name);
  return [];
}

function containerCauses(container: JsonObject, path: string, { spec, volumes }: Surroundings): Causes {
  const claims = new Set(parts(spec, 'resourceClaims').map((claim) => text(claim, 'name')));
  return [
    ...checkNamed(container, 'name', path, checkLabelName),
    ...checkPresent(container, 'image', path),
    ...checkOneOf(container, 'terminationMessagePolicy', path, ['File', 'FallbackToLogsOnError']),
    ...portCauses(container, path),
    ...checkEnv(container, path),
    ...mountCauses(container, path, volumes),
    ...checkOneOf(container, 'imagePullPolicy', path, ['Always', 'IfNotPresent', 'Never']),
    ...checkResources(container, path, claims),
    ...resizeCauses(container, path, text(spec, 'restartPolicy')),
    ...checkSecurity(container, path, hasHostUsers(spec)),
  ];
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function portCauses(container: JsonObject, path: string): Causes {
  const names = new Set<string>();
  return checkParts(container, 'ports', path, (port, at) => {
    const name = text(port, 'name');
    const problems = name === '' ? [] : checkPortName(name);
    const causes: Causes[number][] = problems.map((problem) => invalid(`${at}.name`, name, problem));
    if (problems.length === 0 && names.has(name)) causes.push(duplicate(`${at}.name`, name));
    if (problems.length === 0 && name !== '') names.add(name);
    const inside = number(port, 'containerPort') ?? 0;
    const outside = number(port, 'hostPort') ?? 0;
    return [
      ...causes,
      ...(inside === 0 ? [required(`${at}.containerPort`)] : checkPort(inside, `${at}.containerPort`)),
      ...(outside === 0 ? [] : checkPort(outside, `${at}.hostPort`)),
      ...checkOneOf(port, 'protocol', at, protocols),
    ];
  });
}

function hostPortCauses(containers: readonly JsonObject[], path: string): Causes {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    checkParts(container, 'ports', `${path}[${index}]`, (port, at) => {
      const outside = number(port, 'hostPort') ?? 0;
      if (outside === 0) return [];
      const key = `${text(port, 'protocol')}/${text(port, 'hostIP')}/${outside}`;
      if (taken.has(key)) return [duplicate(`${at}.hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function mountCauses(container: JsonObject, path: string, volumes: ReadonlySet<string>): Causes {
  const targets = new Set<string>();
  const list = `${path}.volumeMounts`;
  return checkParts(container, 'volumeMounts', path, (mount, at) => {
    const [name, target] = [text(mount, 'name'), text(mount, 'mountPath')];
    const causes: Causes[number][] = [...checkPresent(mount, 'name', at)];
    if (!volumes.has(name)) causes.push(notFound(`${at}.name`, name));
    causes.push(...checkPresent(mount, 'mountPath', at));
    if (targets.has(target)) causes.push(invalid(`${at}.mountPath`, target, 'must be unique'));
    targets.add(target);
    return [...causes, ...subPathCauses(mount, at, list), ...propagationCauses(mount, container, list)];
  });
}

function subPathCauses(mount: JsonObject, path: string, list: string): Causes {
  const [plain, expression] = [text(mount, 'subPath'), text(mount, 'subPathExpr')];
  const causes: Causes[number][] = plain === '' ? [] : [...checkDescending(plain, `${list}.subPath`)];
  if (expression === '') return causes;
  if (plain !== '')
    causes.push(invalid(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
  return [...causes, ...checkDescending(expression, `${list}.subPathExpr`)];
}

function propagationCauses(mount: JsonObject, container: JsonObject, list: string): Causes {
  const causes: Causes[number][] = [];
  const mode = mount['mountPropagation'];
  const modes = ['Bidirectional', 'HostToContainer', 'None'];
  if (typeof mode === 'string') {
    if (!modes.includes(mode)) causes.push(notSupported(`${list}.mountPropagation`, mode, modes));
    if (mode === 'Bidirectional' && !isTrue(part(container, 'securityContext'), 'privileged')) {
      causes.push(
        forbidden(
          `${list}.mountPropagation`,
          'Bidirectional mount propagation is available only to privileged containers',
        ),
      );
    }
  }
  const readOnly = mount['recursiveReadOnly'];
  if (typeof readOnly !== 'string' || readOnly === 'Disabled') return causes;
  const field = `${list}.recursiveReadOnly`;
  if (readOnly !== 'Enabled' && readOnly !== 'IfPossible') {
    return [...causes, notSupported(field, readOnly, ['Disabled', 'Enabled', 'IfPossible'])];
  }
  if (!isTrue(mount, 'readOnly')) causes.push(forbidden(field, 'may only be specified when readOnly is true'));
  if (typeof mode === 'string' && mode !== 'None') {
    causes.push(forbidden(field, 'may only be specified when mountPropagation is None or not specified'));
  }
  return causes;
}

function restartCauses(container: JsonObject, path: string): Causes {
  const policy = container['restartPolicy'];
  const rules = parts(container, 'restartPolicyRules');
  const policies = ['Always', 'Never', 'OnFailure'];
  if (typeof policy === 'string' && !policies.includes(policy))
    return [notSupported(`${path}.restartPolicy`, policy, policies)];
  if (policy !== undefined || rules.length === 0) return [];
  return [required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used')];
}

function resizeCauses(container: JsonObject, path: string, restartPolicy: string): Causes {
  const field = `${path}.resizePolicy`;
  const seen = new Set<string>();
  return parts(container, 'resizePolicy').flatMap((policy, index) => {
    const [name, restart] = [text(policy, 'resourceName'), text(policy, 'restartPolicy')];
    const causes: Causes[number][] = seen.has(name) ? [duplicate(`${field}[${index}]`, name)] : [];
    seen.add(name);
    if (name === '') causes.push(required(field));
    else if (name !== 'cpu' && name !== 'memory') causes.push(notSupported(field, name, ['cpu', 'memory']));
    if (restart === '') causes.push(required(field));
    else if (restart !== 'NotRequired' && restart !== 'RestartContainer') {
      causes.push(notSupported(field, restart, ['NotRequired', 'RestartContainer']));
    }
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      causes.push(invalid(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return causes;
  });
}
