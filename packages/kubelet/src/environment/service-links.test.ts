import { describe, expect, it } from 'vitest';
import { serviceLinks } from './service-links.ts';

const service = (name: string, spec: object) => ({
  metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
});
const direct = async ({ clusterIp, port }: { clusterIp: string; port: number }) => ({ host: clusterIp, port });

describe('variables that tell where Services are', () => {
  it('have the names that Kubernetes gives them', async () => {
    const ports = [
      { name: 'http-api', port: 80 },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ];
    expect(await serviceLinks([service('my-web', { clusterIP: '10.0.0.7', ports })], direct)).toEqual({
      MY_WEB_SERVICE_HOST: '10.0.0.7',
      MY_WEB_SERVICE_PORT: '80',
      MY_WEB_SERVICE_PORT_HTTP_API: '80',
      MY_WEB_SERVICE_PORT_DNS: '53',
      MY_WEB_PORT: 'tcp://10.0.0.7:80',
      MY_WEB_PORT_80_TCP: 'tcp://10.0.0.7:80',
      MY_WEB_PORT_80_TCP_PROTO: 'tcp',
      MY_WEB_PORT_80_TCP_PORT: '80',
      MY_WEB_PORT_80_TCP_ADDR: '10.0.0.7',
      MY_WEB_PORT_53_UDP: 'udp://10.0.0.7:53',
      MY_WEB_PORT_53_UDP_PROTO: 'udp',
      MY_WEB_PORT_53_UDP_PORT: '53',
      MY_WEB_PORT_53_UDP_ADDR: '10.0.0.7',
    });
  });

  it('say where a port really is, where it is not at the Service’s address', async () => {
    const asked: string[] = [];
    const variables = await serviceLinks(
      [service('web', { clusterIP: '10.0.0.7', ports: [{ port: 80 }] })],
      async (port) => {
        asked.push(`${port.name}.${port.namespace}:${port.port}`);
        return { host: '127.77.0.1', port: 43_210 };
      },
    );
    expect(asked).toEqual(['web.ns:80']);
    expect(variables).toMatchObject({
      WEB_SERVICE_HOST: '127.77.0.1',
      WEB_SERVICE_PORT: '43210',
      WEB_PORT_80_TCP: 'tcp://127.77.0.1:43210',
    });
  });

  it('are not there for Services without an address', async () => {
    const none = [service('a', { clusterIP: 'None', ports: [{ port: 80 }] }), service('b', { type: 'ExternalName' })];
    expect(await serviceLinks(none, direct)).toEqual({});
  });
});
