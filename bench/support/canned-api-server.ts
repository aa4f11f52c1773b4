import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createCertificateAuthority } from '@manta/kube/testing';
import { realisticPod } from './pod.ts';

/**
 * An API server that costs next to nothing: it answers PATCHes and lists of pods with bytes made beforehand, over TLS, HTTP/2 or 1.1.
 * Arguments: the kubeconfig to write, how many pods to hold. Prints `{"ready":true}`.
 */
const [kubeconfigPath = '', podCount = '0'] = process.argv.slice(2);
const ca = createCertificateAuthority();
const { cert, key } = ca.issue({ commonName: 'canned', dnsNames: ['localhost'], ips: ['127.0.0.1'] });
const client = ca.issue({ commonName: 'bench' });

const small = { ...realisticPod(1), spec: { containers: [{ name: 'a', image: 'b' }] } };
const patched = Buffer.from(
  JSON.stringify({ ...small, metadata: { name: 'pod', labels: { a: 'b' }, annotations: { text: 'x'.repeat(1700) } } }),
);
const pods = Number(podCount);

async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  for await (const _ of request) {
    // The body is read to its end, as a server would.
  }
  response.setHeader('content-type', 'application/json');
  if (request.method === 'PATCH') {
    response.end(patched);
    return;
  }
  await streamPods(response);
}

/** WatchList: what exists, the bookmark that ends it, then silence. */
async function streamPods(response: Http2ServerResponse): Promise<void> {
  for (let i = 0; i < pods; i += 1) {
    const line = `${JSON.stringify({ type: 'ADDED', object: realisticPod(i) })}\n`;
    if (!response.write(line)) await once(response, 'drain');
  }
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const bookmark = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '2000000', annotations } };
  response.write(`${JSON.stringify({ type: 'BOOKMARK', object: bookmark })}\n`);
}

const server = createSecureServer({ cert, key, ca: ca.cert, allowHTTP1: true }, (request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [
      {
        name: 'bench',
        cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(ca.cert) },
      },
    ],
    users: [
      {
        name: 'bench',
        user: { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
      },
    ],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  };
  writeFileSync(kubeconfigPath, JSON.stringify(config));
  console.log(JSON.stringify({ ready: true }));
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
