import { DefaultPort, PortName, type RayService, serviceNames } from '@manta/api';
import type { Gateway } from '../rayservice/observed.ts';
import { controllerReference } from './owner.ts';

/** The Gateway through which an incremental upgrade moves traffic. */
export function buildGateway(service: RayService, gatewayClassName: string): Gateway {
  const { name = '', namespace = '' } = service.metadata ?? {};
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: {
      name: serviceNames.gateway(name),
      namespace,
      ownerReferences: [controllerReference('RayService', service)],
    },
    spec: { gatewayClassName, listeners: [{ name: PortName.Http, protocol: 'HTTP', port: DefaultPort.Http }] },
  };
}

/** The existing Gateway with the desired fields; undefined when no managed field differs. */
export function alignGateway(live: Gateway, wanted: Gateway): Gateway | undefined {
  return managed(live) === managed(wanted) ? undefined : { ...live, spec: { ...wanted.spec } };
}

/** Compares only managed fields of a listener. */
function managed({ spec }: Gateway): string {
  const listeners = (spec?.listeners ?? []).map(({ name, protocol, port }) => [name, protocol, port]);
  return JSON.stringify([spec?.gatewayClassName, listeners]);
}
