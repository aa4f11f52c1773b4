import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { Store } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { EngineWorld } from '../world.ts';
import { forbidden } from '../status/errors.ts';
import { generateName } from '../object/generate-name.ts';
import { textAt } from '../registry/json-path.ts';
import { metaText } from '../object/metadata.ts';
import { asJson } from '../object/stored-json.ts';
import type { AdmissionPlugin } from './admission.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const PREFIX = 'kube-api-access-';

/** Adds the service account to every new pod and, unless disabled, a token of it. */
export function serviceAccountPlugin(store: Store, world: EngineWorld, isRequired: boolean): AdmissionPlugin {
  return {
    mutate({ scope, operation, object }) {
      const { group, kind } = scope.resource.info;
      if (group !== '' || kind !== 'Pod' || operation !== 'CREATE' || scope.subresource !== '') return object;
      if (!isRequired && store.list('/serviceaccounts').length === 0) return object;
      const spec = isObject(object['spec']) ? object['spec'] : {};
      const name = textAt(spec, 'serviceAccountName') || 'default';
      const account = store.get({ resource: '/serviceaccounts', namespace: scope.namespace, name });
      if (account === undefined) {
        const why = `error looking up service account ${scope.namespace}/${name}: serviceaccount "${name}" not found`;
        throw forbidden(scope.resource.info, metaText(object, 'name'), why);
      }
      const named = { ...spec, serviceAccountName: name, serviceAccount: name };
      const withSecrets = pullSecrets(named, account);
      return { ...object, spec: wantsToken(spec, account) ? withToken(withSecrets, world) : withSecrets };
    },
  };
}

function pullSecrets(spec: JsonObject, account: StoredObject): JsonObject {
  const secrets = asJson(account)['imagePullSecrets'];
  const own = spec['imagePullSecrets'];
  const hasOwn = Array.isArray(own) && own.length > 0;
  return hasOwn || !Array.isArray(secrets) || secrets.length === 0 ? spec : { ...spec, imagePullSecrets: secrets };
}

function wantsToken(spec: JsonObject, account: StoredObject): boolean {
  const ofPod = spec['automountServiceAccountToken'];
  if (typeof ofPod === 'boolean') return ofPod;
  return asJson(account)['automountServiceAccountToken'] !== false;
}

/** Mounts the token into every container that has nothing else at its place. */
function withToken(spec: JsonObject, world: EngineWorld): JsonObject {
  const name = generateName(PREFIX, world.random);
  let isUsed = false;
  const mount = (containers: Json | undefined): readonly Json[] => {
    if (!Array.isArray(containers)) return [];
    return containers.map((container: Json) => {
      if (!isObject(container)) return container;
      const mounts = Array.isArray(container['volumeMounts']) ? container['volumeMounts'] : [];
      if (mounts.some((given) => isObject(given) && given['mountPath'] === MOUNT_PATH)) return container;
      isUsed = true;
      return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }] };
    });
  };
  const containers = mount(spec['containers']);
  const initContainers = mount(spec['initContainers']);
  const volumes = Array.isArray(spec['volumes']) ? spec['volumes'] : [];
  return {
    ...spec,
    containers,
    ...(initContainers.length === 0 ? {} : { initContainers }),
    ...(isUsed ? { volumes: [...volumes, { name, projected: PROJECTED }] } : {}),
  };
}

const PROJECTED: JsonObject = {
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 420,
};
