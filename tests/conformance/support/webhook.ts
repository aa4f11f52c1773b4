import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificateAuthority } from '../../support/certificates.ts';
import type { Fields } from './target.ts';

/** What a webhook is asked. */
export interface AdmissionRequest extends Fields {
  readonly uid: string;
  readonly operation: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly object: Fields | null;
  readonly oldObject: Fields | null;
  readonly userInfo: { readonly username: string };
}

/** Decides on a request; `undefined` never answers. */
export type Decide = (request: AdmissionRequest) => Fields | undefined;

/** A webhook that listens on loopback. */
export interface Webhook {
  readonly url: string;
  /** Its certificate authority as a configuration wants it. */
  readonly caBundle: string;
  readonly requests: readonly AdmissionRequest[];
  close(): void;
}

const authority = createCertificateAuthority('webhook-ca');
const pair = authority.issue({
  commonName: 'webhook',
  ips: ['127.0.0.1'],
  dnsNames: ['localhost'],
  usages: ['server'],
});

/** A certificate authority that no webhook is certified by. */
export const foreignCaBundle = Buffer.from(createCertificateAuthority('foreign-ca').cert).toString('base64');

/** Starts a webhook on a free loopback port. */
export async function startWebhook(decide: Decide): Promise<Webhook> {
  const requests: AdmissionRequest[] = [];
  const server = createServer({ cert: pair.cert, key: pair.key }, (incoming, outgoing) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    incoming.on('end', () => {
      const { request } = JSON.parse(text) as { request: AdmissionRequest };
      requests.push(request);
      const response = decide(request);
      if (response === undefined) return;
      const review = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: request.uid, ...response },
      };
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(review));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/check`,
    caBundle: Buffer.from(authority.cert).toString('base64'),
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
