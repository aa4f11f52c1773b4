import { ownValue } from '@manta/base';
import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { GoStruct } from '../../field/go-json.ts';
import type { JsonObject } from '../../object/json.ts';
import { isTrue, part, text, texts } from '../read.ts';
import { type Causes, checkInRange, checkOptionalOneOf, checkRange } from './check.ts';
import { checkDescending } from './file-path.ts';

const maxId = 2 ** 31 - 1;

/** Checks the security context of a container. */
export function checkSecurity(container: JsonObject, path: string, isHostUser: boolean): Causes {
  const context = part(container, 'securityContext');
  if (context === undefined) return [];
  const at = `${path}.securityContext`;
  const causes: Causes[number][] = [
    ...checkRange(context, 'runAsUser', at, 0, maxId),
    ...checkRange(context, 'runAsGroup', at, 0, maxId),
    ...procMountCauses(context, at, isHostUser),
    ...seccompCauses(context, at),
    ...appArmorCauses(context, at),
  ];
  if (context['allowPrivilegeEscalation'] === false) {
    if (isTrue(context, 'privileged')) {
      causes.push(
        invalid(at, goContext(context), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
      );
    }
    if (texts(part(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN')) {
      causes.push(
        invalid(
          at,
          goContext(context),
          'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
        ),
      );
    }
  }
  return causes;
}

function goName(name: string): string {
  return name === 'seLinuxOptions' ? 'SELinuxOptions' : name.charAt(0).toUpperCase() + name.slice(1);
}

/** The server shows its own in-memory form of the context, all of whose fields have Go names and none is left out. */
function goContext(context: JsonObject): GoStruct {
  const names = [
    'capabilities',
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  const capabilities = part(context, 'capabilities');
  const shown: JsonObject = {
    ...context,
    ...(capabilities === undefined
      ? {}
      : { capabilities: { Add: capabilities['add'] ?? null, Drop: capabilities['drop'] ?? null } }),
  };
  return new GoStruct(Object.fromEntries(names.map((name) => [goName(name), ownValue(shown, name) ?? null])));
}

function procMountCauses(context: JsonObject, path: string, isHostUser: boolean): Causes {
  const causes = checkOptionalOneOf(context, 'procMount', path, ['Default', 'Unmasked']);
  if (!isHostUser || context['procMount'] !== 'Unmasked') return causes;
  return [...causes, invalid(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`')];
}

function seccompCauses(context: JsonObject, path: string): Causes {
  const profile = part(context, 'seccompProfile');
  if (profile === undefined) return [];
  const at = `${path}.seccompProfile`;
  const type = text(profile, 'type');
  const local = profile['localhostProfile'];
  const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];
  const causes: Causes[number][] = [];
  if (type === '') causes.push(required(`${at}.type`, 'type is required when seccompProfile is set'));
  else if (!types.includes(type)) causes.push(notSupported(`${at}.type`, type, types));
  if (type === 'Localhost') {
    if (typeof local !== 'string')
      causes.push(required(`${at}.localhostProfile`, 'must be set when seccomp type is Localhost'));
    else causes.push(...checkDescending(local, `${at}.localhostProfile`));
  } else if (local !== undefined) {
    const shown: JsonObject = { LocalhostProfile: local, Type: type };
    causes.push(invalid(`${at}.localhostProfile`, shown, 'can only be set when seccomp type is Localhost'));
  }
  return causes;
}

function appArmorCauses(context: JsonObject, path: string): Causes {
  const profile = part(context, 'appArmorProfile');
  if (profile === undefined) return [];
  const at = `${path}.appArmorProfile`;
  const type = text(profile, 'type');
  if (type === '') return [required(`${at}.type`, 'type is required when appArmorProfile is set')];
  const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];
  const causes: Causes[number][] = types.includes(type) ? [] : [notSupported(`${at}.type`, type, types)];
  const local = profile['localhostProfile'];
  if (type === 'Localhost' && typeof local !== 'string') {
    causes.push(required(`${at}.localhostProfile`, 'must be set when AppArmor type is Localhost'));
  } else if ((type === 'RuntimeDefault' || type === 'Unconfined') && local !== undefined) {
    causes.push(invalid(`${at}.localhostProfile`, local, 'can only be set when AppArmor type is Localhost'));
  }
  return causes;
}

/** Checks the security context of a pod. */
export function checkPodSecurity(spec: JsonObject, path: string): Causes {
  const context = part(spec, 'securityContext');
  const at = `${path}.securityContext`;
  const causes: Causes[number][] = [];
  if (isTrue(spec, 'shareProcessNamespace') && isTrue(spec, 'hostPID')) {
    causes.push(
      invalid(`${at}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  }
  if (context === undefined) return causes;
  const groups = context['supplementalGroups'];
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((key) => checkRange(context, key, at, 0, maxId)),
    ...(Array.isArray(groups) ? groups : []).flatMap((group, index) =>
      typeof group === 'number' ? checkInRange(group, `${at}.supplementalGroups[${index}]`, 0, maxId) : [],
    ),
    ...causes,
    ...checkOptionalOneOf(context, 'fsGroupChangePolicy', at, ['Always', 'OnRootMismatch']),
    ...seccompCauses(context, at),
    ...appArmorCauses(context, at),
    ...checkOptionalOneOf(context, 'supplementalGroupsPolicy', at, ['Merge', 'Strict']),
  ];
}

/** Pods with user namespaces of their own may not share the host's. */
export function checkHostUsers(spec: JsonObject, path: string): Causes {
  if (spec['hostUsers'] !== false) return [];
  return (['hostPID', 'hostIPC'] as const)
    .filter((key) => isTrue(spec, key))
    .map((key) => forbidden(`${path}.${key === 'hostPID' ? 'HostPID' : 'HostIPC'}`, 'when `hostUsers` is false'));
}

/** Whether a pod uses the host's users. */
export function hasHostUsers(spec: JsonObject): boolean {
  return spec['hostUsers'] !== false;
}
