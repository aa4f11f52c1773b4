import type { Service } from '@manta/api';
import type { Stored } from '@manta/controllers';
import { clusterIpOf } from '../network/service-routes.ts';
import type { SandboxDriver } from '../sandbox/sandbox.ts';

/** A container's variables for the Services of its namespace (service links), as of its start. */
export async function serviceLinks(
  services: readonly Stored<Service>[],
  reach: SandboxDriver['reach'],
): Promise<Readonly<Record<string, string>>> {
  const variables: Record<string, string> = {};
  for (const service of services) Object.assign(variables, await linksTo(service, reach));
  return variables;
}

async function linksTo(
  service: Stored<Service>,
  reach: SandboxDriver['reach'],
): Promise<Readonly<Record<string, string>>> {
  const { name, namespace = '' } = service.metadata;
  const clusterIp = clusterIpOf(service);
  if (clusterIp === undefined) return {};
  const prefix = variableName(name);
  const variables: Record<string, string> = {};
  for (const { name: own = '', port, protocol = 'TCP' } of service.spec?.ports ?? []) {
    const plain = { host: clusterIp, port };
    const at = protocol === 'TCP' ? await reach({ name, namespace, clusterIp, port }) : plain;
    const url = `${protocol.toLowerCase()}://${at.host}:${at.port}`;
    const link = `${prefix}_PORT_${port}_${protocol}`;
    // The first port also stands for the whole.
    variables[`${prefix}_SERVICE_HOST`] ??= at.host;
    variables[`${prefix}_SERVICE_PORT`] ??= String(at.port);
    variables[`${prefix}_PORT`] ??= url;
    if (own !== '') variables[`${prefix}_SERVICE_PORT_${variableName(own)}`] = String(at.port);
    Object.assign(variables, {
      [link]: url,
      [`${link}_PROTO`]: protocol.toLowerCase(),
      [`${link}_PORT`]: String(at.port),
      [`${link}_ADDR`]: at.host,
    });
  }
  return variables;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
