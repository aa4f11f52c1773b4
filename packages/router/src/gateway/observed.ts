import type { EndpointSlice, Secret, Service } from '@manta/api';
import type { Gateway, GatewayClass, HttpRoute, ReferenceGrant } from './kinds.ts';

/** Everything that decides where requests go. */
export interface Observed {
  /** Absent where the kind is not installed: then the name of the class is all there is to go by. */
  readonly classes: readonly GatewayClass[] | undefined;
  readonly gateways: readonly Gateway[];
  readonly routes: readonly HttpRoute[];
  service(namespace: string, name: string): ServiceRecord | undefined;
  slices(namespace: string, service: string): readonly SliceRecord[];
  /** The Secret of type `kubernetes.io/tls` of that name. */
  certificate(namespace: string, name: string): CertificateLookup;
  /** Those that lie in this namespace; none where the kind is not installed. */
  grants(namespace: string): readonly ReferenceGrant[];
}

/** What is kept of a Secret with a certificate: both in PEM, empty where it has none. */
export interface CertificateRecord {
  readonly cert: string;
  readonly key: string;
}

/** A Secret by its place. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** What is known of a certificate that a listener names. */
export type CertificateLookup =
  | { readonly kind: 'found'; readonly record: CertificateRecord }
  /** There is no such Secret of type `kubernetes.io/tls`. */
  | { readonly kind: 'absent' }
  /** The router may not read the Secret, has not read it yet, or watches too many others. */
  | { readonly kind: 'unreadable'; readonly why: string };

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

/** The `endpoints` of an empty slice may be null. */
export function sliceRecord({ metadata, ports, endpoints }: EndpointSlice): SliceRecord {
  return {
    service: metadata?.labels?.[SERVICE_NAME] ?? '',
    ports: (ports ?? []).flatMap(({ name = '', port }) => (port === undefined ? [] : [{ name, port }])),
    endpoints: (endpoints ?? []).map(({ addresses, conditions = {} }) => {
      // An absent condition counts as true, as the API documents.
      const { ready = true, serving = ready, terminating = false } = conditions;
      return { addresses, isReady: ready && !terminating, isLeaving: serving && terminating };
    }),
  };
}

/** The type of Secrets that hold a certificate and its key. */
export const TLS_SECRET = 'kubernetes.io/tls';

export function certificateRecord({ data = {} }: Secret): CertificateRecord {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  return { cert: text('tls.crt'), key: text('tls.key') };
}
