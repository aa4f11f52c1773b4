import type { EndpointSlice, Service } from '@manta/api';
import type { Gateway, GatewayClass, HttpRoute } from './kinds.ts';

/** Everything that decides where requests go. */
export interface Observed {
  /** Absent where the kind is not installed: then the name of the class is all there is to go by. */
  readonly classes: readonly GatewayClass[] | undefined;
  readonly gateways: readonly Gateway[];
  readonly routes: readonly HttpRoute[];
  service(namespace: string, name: string): ServiceRecord | undefined;
  slices(namespace: string, service: string): readonly SliceRecord[];
}

/** What is kept of a Service. */
export interface ServiceRecord {
  readonly ports: readonly { readonly name: string; readonly port: number; readonly appProtocol: string | undefined }[];
}

/** What is kept of an EndpointSlice. */
export interface SliceRecord {
  readonly service: string;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly endpoints: readonly EndpointRecord[];
}

export interface EndpointRecord {
  readonly addresses: readonly string[];
  readonly isReady: boolean;
  /** Still answers although it is about to go. */
  readonly isLeaving: boolean;
}

/** The label by which a slice names its Service. */
export const SERVICE_NAME = 'kubernetes.io/service-name';

export function serviceRecord({ spec }: Service): ServiceRecord {
  return {
    ports: (spec?.ports ?? []).map(({ name = '', port, appProtocol }) => ({ name, port, appProtocol })),
  };
}

export function sliceRecord({ metadata, ports = [], endpoints = [] }: EndpointSlice): SliceRecord {
  return {
    service: metadata?.labels?.[SERVICE_NAME] ?? '',
    ports: ports.flatMap(({ name = '', port }) => (port === undefined ? [] : [{ name, port }])),
    endpoints: endpoints.map(({ addresses, conditions = {} }) => {
      // What is not said is taken as good, as the API's own words have it.
      const { ready = true, serving = ready, terminating = false } = conditions;
      return { addresses, isReady: ready && !terminating, isLeaving: serving && terminating };
    }),
  };
}
