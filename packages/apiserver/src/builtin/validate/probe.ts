import { ownValue } from '@manta/base';
import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { regexError } from '../../field/regex-error.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, parts, text, texts } from '../read.ts';
import { type Causes, checkNonNegative, checkPort, checkPortOrName } from './check.ts';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Checks how a container is watched and what it does at the start and at the end. */
export function checkProbes(container: JsonObject, path: string, graceSeconds: number | undefined): Causes {
  const lifecycle = part(container, 'lifecycle');
  return [
    ...['postStart', 'preStop'].flatMap((key) => {
      const handler = part(lifecycle, key);
      return handler === undefined
        ? []
        : handlerCauses(handler, `${path}.lifecycle.${key}`, lifecycleActions, graceSeconds);
    }),
    ...probes.flatMap((key) => probeCauses(container, key, `${path}.${key}`, graceSeconds)),
  ];
}

/** Containers that end before the pod starts are not watched. */
export function checkNoProbes(container: JsonObject, path: string): Causes {
  return ['lifecycle', ...probes]
    .filter((key) => ownValue(container, key) !== undefined)
    .map((key) => forbidden(`${path}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
}

function probeCauses(
  container: JsonObject,
  key: (typeof probes)[number],
  path: string,
  grace: number | undefined,
): Causes {
  const probe = part(container, key);
  if (probe === undefined) return [];
  const seconds = number(probe, 'terminationGracePeriodSeconds');
  const causes: Causes[number][] = [
    ...handlerCauses(probe, path, probeActions, grace),
    ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'].flatMap(
      (name) => checkNonNegative(probe, name, path),
    ),
  ];
  if (seconds !== undefined && seconds <= 0) {
    causes.push(invalid(`${path}.terminationGracePeriodSeconds`, seconds, 'must be greater than 0'));
  }
  if (key === 'readinessProbe') {
    if (seconds !== undefined) {
      causes.push(invalid(`${path}.terminationGracePeriodSeconds`, seconds, 'must not be set for readinessProbes'));
    }
  } else if (number(probe, 'successThreshold') !== 1) {
    causes.push(invalid(`${path}.successThreshold`, number(probe, 'successThreshold') ?? 0, 'must be 1'));
  }
  return causes;
}

type CheckAction = (action: JsonObject, path: string, graceSeconds: number | undefined) => Causes;

const probeActions: Readonly<Record<string, CheckAction>> = {
  exec: (action, path) => (texts(action, 'command').length === 0 ? [required(`${path}.command`)] : []),
  httpGet: httpCauses,
  tcpSocket: (action, path) => checkPortOrName(action['port'], `${path}.port`),
  grpc: (action, path) => checkPort(number(action, 'port') ?? 0, `${path}.port`),
};

const lifecycleActions: Readonly<Record<string, CheckAction>> = {
  exec: probeActions['exec'] ?? (() => []),
  httpGet: httpCauses,
  tcpSocket: probeActions['tcpSocket'] ?? (() => []),
  sleep: (action, path, grace) => {
    const seconds = number(action, 'seconds') ?? 0;
    if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
    return [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)];
  },
};

function handlerCauses(
  handler: JsonObject,
  path: string,
  actions: Readonly<Record<string, CheckAction>>,
  grace: number | undefined,
): Causes {
  const given = Object.keys(actions).filter((key) => ownValue(handler, key) !== undefined);
  if (given.length === 0) return [required(path, 'must specify a handler type')];
  return given.flatMap((key, index) =>
    index === 0
      ? (ownValue(actions, key)?.(part(handler, key) ?? {}, `${path}.${key}`, grace) ?? [])
      : [forbidden(`${path}.${key}`, 'may not specify more than 1 handler type')],
  );
}

function httpCauses(action: JsonObject, path: string): Causes {
  const scheme = text(action, 'scheme');
  return [
    ...(text(action, 'path') === '' ? [required(`${path}.path`)] : []),
    ...checkPortOrName(action['port'], `${path}.port`),
    ...(scheme === 'HTTP' || scheme === 'HTTPS' ? [] : [notSupported(`${path}.scheme`, scheme, ['HTTP', 'HTTPS'])]),
    ...parts(action, 'httpHeaders')
      .map((header) => text(header, 'name'))
      .filter((name) => !/^[-A-Za-z0-9]+$/.test(name))
      .map((name) => invalid(`${path}.httpHeaders`, name, headerProblem)),
  ];
}

const headerProblem = regexError(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);
