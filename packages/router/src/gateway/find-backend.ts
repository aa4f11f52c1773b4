import type { Address, Backend } from '../proxy/route-table.ts';
import type { BackendRef } from './kinds.ts';
import type { Observed, ServiceRecord } from './observed.ts';
import { grantHint, mayRefer } from './reference-grants.ts';

/** A backend, and what is wrong with the reference to it where something is. */
export interface FoundBackend {
  readonly backend: Backend;
  readonly problem?: RefProblem;
}

/** The Gateway API's reason, and our message. */
export interface RefProblem {
  readonly reason: 'InvalidKind' | 'BackendNotFound' | 'RefNotPermitted';
  readonly message: string;
}

/** Where the requests for a reference go: the ready endpoints of its Service or, where there is none left, those that are leaving. */
export function findBackend(ref: BackendRef, routeNamespace: string, observed: Observed): FoundBackend {
  const { name = '', namespace = routeNamespace, port, weight = 1 } = ref;
  const key = `${namespace}/${name}:${port ?? '?'}`;
  const absent = (reason: RefProblem['reason'], message: string): FoundBackend => ({
    backend: { key, weight, endpoints: [], problem: message },
    problem: { reason, message: `${key}: ${message}` },
  });
  if ((ref.group ?? '') !== '' || (ref.kind ?? 'Service') !== 'Service')
    return absent('InvalidKind', `${ref.kind ?? 'this kind'} cannot be a backend here; use a Service`);
  const from = { kind: 'HTTPRoute', namespace: routeNamespace } as const;
  const to = { kind: 'Service', namespace, name } as const;
  if (!mayRefer(from, to, observed)) return absent('RefNotPermitted', grantHint(from, to));
  const service = observed.service(namespace, name);
  if (service === undefined) return absent('BackendNotFound', 'the Service does not exist');
  const servicePort = service.ports.find((one) => one.port === port);
  if (servicePort === undefined) return absent('BackendNotFound', `the Service has no such port; ${portsOf(service)}`);
  const { endpoints, problem } = endpointsOf(observed, namespace, name, servicePort);
  return { backend: { key, weight, endpoints, problem } };
}

function portsOf({ ports }: ServiceRecord): string {
  return ports.length === 0 ? 'it has none' : `it has ${ports.map(({ port }) => port).join(', ')}`;
}

function endpointsOf(
  observed: Observed,
  namespace: string,
  service: string,
  { name, appProtocol }: ServiceRecord['ports'][number],
): { readonly endpoints: readonly Address[]; readonly problem: string | undefined } {
  const protocol = protocolOf(appProtocol);
  const ready: Address[] = [];
  const leaving: Address[] = [];
  let count = 0;
  for (const slice of observed.slices(namespace, service)) {
    const port = slice.ports.find((one) => one.name === name)?.port;
    for (const { addresses, isReady, isLeaving } of slice.endpoints) {
      count += 1;
      const [host] = addresses;
      if (host === undefined || port === undefined) continue;
      if (isReady) ready.push({ host, port, protocol });
      else if (isLeaving) leaving.push({ host, port, protocol });
    }
  }
  const endpoints = ready.length > 0 ? ready : leaving;
  if (endpoints.length > 0) return { endpoints, problem: undefined };
  return { endpoints, problem: count === 0 ? 'no pod fits its selector' : `none of its ${count} pods is ready` };
}

function protocolOf(appProtocol: string | undefined): Address['protocol'] {
  if (appProtocol === 'kubernetes.io/h2c' || appProtocol === 'grpc') return 'http2';
  return appProtocol === 'kubernetes.io/ws' || appProtocol === 'http' ? 'http1' : 'auto';
}
