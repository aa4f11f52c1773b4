import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServiceProxy, startServiceProxy } from './service-proxy.ts';

describe('the way into the pods’ network', () => {
  /** A pod whose connections are the test's to answer. */
  const pod = createServer({ allowHalfOpen: true });
  let proxy: ServiceProxy;
  const portOf = () => Number(new URL(proxy.url).port);

  beforeEach(async () => {
    await once(pod.listen(0, '127.0.0.1'), 'listening');
    const dial = async () => {
      const { port } = pod.address() as AddressInfo;
      const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
      await once(socket, 'connect');
      return socket.on('error', () => socket.destroy());
    };
    proxy = await startServiceProxy({ dial });
  });
  afterEach(async () => {
    await proxy.close();
    await new Promise((resolve) => pod.removeAllListeners('connection').close(resolve));
  });

  async function tunnel(): Promise<{ readonly client: Socket; readonly far: Socket }> {
    const asked = request({ port: portOf(), method: 'CONNECT', path: 'a.b.svc:80' }).end();
    const [[far], [, client]] = await Promise.all([once(pod, 'connection'), once(asked, 'connect')]);
    for (const socket of [far, client]) socket.on('error', () => undefined).resume();
    return { client, far };
  }

  it('breaks the pod’s side of a tunnel when the client breaks off, and the client’s when the pod does', async () => {
    for (const side of ['client', 'far'] as const) {
      const both = await tunnel();
      const other = both[side === 'client' ? 'far' : 'client'];
      both[side].resetAndDestroy();
      await new Promise((resolve) => other.once('close', resolve));
      expect(other.destroyed).toBe(true);
    }
  });

  it('leaves one direction of a tunnel open when the other ends', async () => {
    const { client, far } = await tunnel();
    client.end('all');
    await once(far, 'end');
    const heard = text(client);
    far.end('and the answer');
    expect(await heard).toBe('and the answer');
  });

  const answering = (answer: (socket: Socket) => void) =>
    pod.on('connection', (socket: Socket) => socket.on('error', () => undefined).once('data', () => answer(socket)));

  it('does not let an answer that breaks off look whole', async () => {
    answering((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\n', () =>
        socket.resetAndDestroy(),
      ),
    );
    const [answer] = await once(request({ port: portOf(), path: 'http://a.b.svc/' }).end(), 'response');
    await expect(text(answer)).rejects.toThrow('aborted');
  });

  it('passes a long answer on whole to a client that reads late', async () => {
    const length = 8 * 1024 * 1024;
    answering((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
      socket.end(Buffer.alloc(length));
    });
    const [answer] = await once(request({ port: portOf(), path: 'http://a.b.svc/' }).end(), 'response');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await buffer(answer)).length).toBe(length);
  });

  it('passes on an answer with a length that promises trailers', async () => {
    answering((socket) => socket.end('HTTP/1.1 200 OK\r\ntrailer: x\r\ncontent-length: 2\r\n\r\nok'));
    const [answer] = await once(request({ port: portOf(), path: 'http://a.b.svc/' }).end(), 'response');
    expect(await text(answer)).toBe('ok');
  });
});
