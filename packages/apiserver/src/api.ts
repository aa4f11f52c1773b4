import { SERVICE_CIDR } from './services/address-pool.ts';
import type { AggregatedGroup } from './aggregation/aggregated-group.ts';
import type { Store } from './store/contract.ts';
import type { EngineWorld } from './world.ts';
import { type Admission, type AdmissionPlugin, createAdmission } from './admission/admission.ts';
import { definitionLifecycle } from './admission/definition-lifecycle.ts';
import { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
import { priorityPlugin } from './admission/priority.ts';
import { rbacEscalation } from './admission/rbac-escalation.ts';
import { resourceQuota } from './admission/resource-quota.ts';
import { serviceAccountPlugin } from './admission/service-account.ts';
import { serviceAddresses } from './admission/service-addresses.ts';
import { type Authorizer, allowAll } from './auth/authorizer.ts';
import { rbacAuthorizer } from './auth/rbac.ts';
import { createTokenIssuer, type TokenIssuer, type TokenKeys } from './auth/token-issuer.ts';
import { builtinResources } from './registry/builtin-served.ts';
import { serveDefinitions } from './registry/definitions.ts';
import { Registry } from './registry/registry.ts';
import type { PodBackend } from './subresources/pod-backend.ts';
import { validatingWebhooks } from './webhooks/validating-webhooks.ts';

/** The API of one engine: what every verb works with. HTTP and in-process clients are two doors to it. */
export interface Api {
  readonly store: Store;
  readonly world: EngineWorld;
  readonly registry: Registry;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  /** Absent: no pods run, so logs and exec fail as with an unreachable node. */
  readonly podBackend?: PodBackend;
  /** Absent: service accounts get no tokens. */
  readonly tokens?: TokenIssuer;
  /** Groups that other parts of the process answer, by name. */
  readonly aggregated: Map<string, AggregatedGroup>;
  /** Calls back when the API closes; the returned function takes that back. */
  onClose(listener: () => void): () => void;
  /** Ends all watches. The store stays open: it is the caller's. */
  close(): void;
}

export interface ApiOptions {
  readonly store: Store;
  readonly world: EngineWorld;
  /** `RBAC`: authorize by the stored roles and bindings. Default: every request is allowed. */
  readonly authorization?: 'AlwaysAllow' | 'RBAC';
  readonly podBackend?: PodBackend;
  /** Signs the tokens of service accounts; without it they get none. */
  readonly tokenKeys?: TokenKeys;
  /** Whether pods get a service account and its token. Default: if a controller creates service accounts. */
  readonly hasServiceAccounts?: boolean;
  /** The range of cluster IPs; default `10.0.0.0/16`. */
  readonly serviceCidr?: string;
  /** Further admission steps, after the built-in ones. */
  readonly plugins?: readonly AdmissionPlugin[];
}

/** Makes the API over a store: the built-in kinds, and whatever custom resources the store holds definitions of, live. */
export function createApi(options: ApiOptions): Api {
  const { store, world, authorization = 'AlwaysAllow', tokenKeys, podBackend, plugins = [] } = options;
  const registry = new Registry();
  for (const resource of builtinResources()) registry.serve(resource);
  const authorizer = authorization === 'RBAC' ? rbacAuthorizer(store) : allowAll;
  const listeners = new Set<() => void>();
  const stopDefinitions = serveDefinitions(store, registry, world.clock);
  return {
    store,
    world,
    registry,
    authorizer,
    aggregated: new Map(),
    ...(podBackend === undefined ? {} : { podBackend }),
    ...(tokenKeys === undefined ? {} : { tokens: createTokenIssuer(store, world, tokenKeys) }),
    admission: createAdmission([
      ...builtinPlugins(options),
      rbacEscalation(store, authorizer),
      ...plugins,
      validatingWebhooks(store, world),
      resourceQuota(store, registry),
    ]),
    onClose(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stopDefinitions();
      for (const listener of listeners) listener();
    },
  };
}

function builtinPlugins({
  store,
  world,
  hasServiceAccounts,
  serviceCidr = SERVICE_CIDR,
}: ApiOptions): AdmissionPlugin[] {
  return [
    namespaceLifecycle(store),
    definitionLifecycle(store),
    ...(hasServiceAccounts === false ? [] : [serviceAccountPlugin(store, world, hasServiceAccounts === true)]),
    priorityPlugin(store),
    serviceAddresses(store, world, serviceCidr),
  ];
}
