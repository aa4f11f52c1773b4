import { once } from 'node:events';
import { connect } from 'node:tls';
import type { KubeObject } from '@manta/api';
import { createCertificateAuthority, type KubeClient, type ResourceType, resources } from '@manta/kube';
import { expect, it, vi } from 'vitest';

const NAMESPACE = 'default';
const FAR = 'far';
const HOST = 'svc.example';
const referenceGrants: ResourceType = {
  group: 'gateway.networking.k8s.io',
  version: 'v1beta1',
  plural: 'referencegrants',
  kind: 'ReferenceGrant',
  isNamespaced: true,
};
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 50 });

interface Said extends KubeObject {
  readonly status?: {
    readonly listeners?: readonly {
      readonly name: string;
      readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
    }[];
  };
}

/** An HTTPS listener beside the HTTP listener of `gateway`, from its first certificate to that of another namespace. */
export function tlsTests(
  gateway: string,
  { client, port }: { readonly client: () => KubeClient; readonly port: () => number },
): void {
  const authority = createCertificateAuthority();
  const dataOf = (commonName: string) => {
    const { cert, key } = authority.issue({ commonName, dnsNames: [HOST] });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    return { 'tls.crt': base64(cert), 'tls.key': base64(key) };
  };
  const makeSecret = (namespace: string, commonName: string) =>
    client().create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'svc-cert', namespace },
      type: 'kubernetes.io/tls',
      data: dataOf(commonName),
    });
  const setListeners = (certificateRef: object) =>
    client().patch(
      resources.gateways,
      { name: gateway, namespace: NAMESPACE },
      {
        type: 'merge',
        body: {
          spec: {
            listeners: [
              { name: 'http', protocol: 'HTTP', port: 80 },
              {
                name: 'https',
                protocol: 'HTTPS',
                port: 443,
                hostname: HOST,
                tls: { certificateRefs: [certificateRef] },
              },
            ],
          },
        },
      },
    );
  /** What the Gateway says about the certificate of its listener. */
  const says = async () => {
    const held = (await client().get(resources.gateways, { name: gateway, namespace: NAMESPACE })) as Said;
    const listener = held.status?.listeners?.find(({ name }) => name === 'https');
    const condition = listener?.conditions.find(({ type }) => type === 'ResolvedRefs');
    return `${condition?.status} ${condition?.reason}`;
  };

  it('serves clients with TLS once their certificate is there, and the next one as soon as it changes', async () => {
    await setListeners({ name: 'svc-cert' });
    await eventually(async () => expect(await says()).toBe('False InvalidCertificateRef'));
    await makeSecret(NAMESPACE, 'first');
    await eventually(async () => expect(await says()).toBe('True ResolvedRefs'));
    expect(await askTls(port(), authority.cert)).toEqual({ issuedTo: 'first', status: '200' });
    const change = { type: 'merge', body: { data: dataOf('second') } } as const;
    await client().patch(resources.secrets, { name: 'svc-cert', namespace: NAMESPACE }, change);
    await eventually(async () =>
      expect(await askTls(port(), authority.cert)).toEqual({ issuedTo: 'second', status: '200' }),
    );
  });

  it('takes a certificate of another namespace only where that grants it', async () => {
    await client().create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: FAR } });
    await makeSecret(FAR, 'third');
    await setListeners({ name: 'svc-cert', namespace: FAR });
    await eventually(async () => expect(await says()).toBe('False RefNotPermitted'));
    await expect(askTls(port(), authority.cert)).rejects.toThrow(/ECONNRESET|hang up|disconnected|closed|alert/);
    await client().create(referenceGrants, {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { name: 'to-gateways', namespace: FAR },
      spec: {
        from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: NAMESPACE }],
        to: [{ group: '', kind: 'Secret', name: 'svc-cert' }],
      },
    } as KubeObject);
    await eventually(async () =>
      expect(await askTls(port(), authority.cert)).toEqual({ issuedTo: 'third', status: '200' }),
    );
  });
}

/** Whose certificate a client gets, and what it is answered. */
async function askTls(port: number, ca: string): Promise<{ issuedTo: string; status: string }> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: HOST });
  try {
    await once(socket, 'secureConnect');
    socket.write(`GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    return { issuedTo: String(socket.getPeerCertificate().subject.CN), status: String(answer).split(' ')[1] ?? '' };
  } finally {
    socket.destroy();
  }
}
