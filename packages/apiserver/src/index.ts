/**
 * The API server of the embedded engine. `createApi` makes the API on a store: verbs, admission, validation, custom resources and
 * discovery, without sockets. `startServer` serves it over TLS, `createInProcessClient` to callers in the same process. Controllers
 * and the kubelet read the store directly and write through a client.
 */

export type { AdmissionPlugin } from './admission/admission.ts';
export type { AggregatedAnswer, AggregatedGroup, AggregatedRequest } from './aggregation/aggregated-group.ts';
export { createApi, type Api } from './api.ts';
export { bootstrap } from './bootstrap/bootstrap.ts';
export { isGone, type HttpRequest, type HttpResponse } from './http/http-request.ts';
export { startServer, type RunningServer } from './http/server.ts';
export { takeUpgrade, wantsUpgrade } from './http/upgrade.ts';
export { createInProcessClient, type InProcessOptions } from './in-process/in-process-client.ts';
export { deepEqual } from './object/deep-equal.ts';
export { isObject, type Json, type JsonObject } from './object/json.ts';
export { hasPodEnded, isPodReady, podCondition } from './object/pod-state.ts';
export { resourceName, type ResourceInfo, type ResourceName } from './object/resource-info.ts';
export type { Schema } from './object/schema.ts';
export type { StoredMeta, StoredObject } from './object/stored-object.ts';
export { podRequests, readAmounts, type Amounts } from './quota/pod-requests.ts';
export { quotaUsage } from './quota/quota-usage.ts';
export { plantDefinitions } from './registry/plant-definitions.ts';
export type { ServedResource, ServedVersion } from './registry/served-resource.ts';
export { hasLabels, meets, selects } from './selectors/selects.ts';
export { SERVICE_CIDR, addressPool, numberToAddress } from './services/address-pool.ts';
export { SpdyStream, serveSpdy } from './spdy/serve-spdy.ts';
export { badRequest } from './status/errors.ts';
export { StatusError } from './status/status-error.ts';
export type { Store, StoreEvent, StoreKey } from './store/contract.ts';
export { openJournal, type Journal } from './store/journal.ts';
export { createStore } from './store/store.ts';
export type { PodBackend, PodCall } from './subresources/pod-backend.ts';
export type { EngineWorld } from './world.ts';
