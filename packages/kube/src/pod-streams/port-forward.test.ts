import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type ChannelServerOptions, type ServerSession, startChannelServer } from '../testing/channel-server.ts';
import { forwardPorts } from './local-forward.ts';
import { openPodPorts } from './port-forward.ts';

const pod = { namespace: 'ns', pod: 'head' };

/** Begins as a node does: each channel of each port starts with the port's number, low byte first. */
function announcePorts(session: ServerSession): readonly number[] {
  const ports = new URL(session.request.url ?? '', 'http://x').searchParams.getAll('ports').map(Number);
  for (const [index, port] of ports.entries()) {
    const bytes = Uint8Array.of(port & 0xff, port >> 8);
    session.send(index * 2, bytes);
    session.send(index * 2 + 1, bytes);
  }
  return ports;
}

function start(serve: (session: ServerSession) => unknown, options: Partial<ChannelServerOptions> = {}) {
  return startChannelServer({
    protocols: ['v4.channel.k8s.io'],
    serve: (session) => {
      announcePorts(session);
      return serve(session);
    },
    ...options,
  });
}

/** Answers what arrives on a data channel in capitals. */
function shout(session: ServerSession): void {
  session.socket.on('message', (data: Buffer) => {
    session.send(data[0] ?? 0, data.subarray(1).toString().toUpperCase());
  });
}

describe('streams to the ports of a pod', () => {
  test('each port has its own, and the announced numbers are no data', async () => {
    await using server = await start(shout);
    const [dashboard, gcs] = await openPodPorts(server.connect(), { ...pod, ports: [8265, 6379] });
    expect(server.requests[0]?.url).toBe('/api/v1/namespaces/ns/pods/head/portforward?ports=8265&ports=6379');
    gcs?.write('second');
    dashboard?.write('first');
    expect(String((await once(dashboard ?? fail(), 'data'))[0])).toBe('FIRST');
    expect(String((await once(gcs ?? fail(), 'data'))[0])).toBe('SECOND');
    dashboard?.destroy();
    gcs?.destroy();
  });

  test('a number that comes together with data is cut off all the same', async () => {
    await using server = await startChannelServer({
      protocols: ['v4.channel.k8s.io'],
      serve: (session) => {
        session.send(0, Uint8Array.of(0x49));
        session.send(0, Buffer.concat([Uint8Array.of(0x20), Buffer.from('hi')]));
        session.socket.close(1000);
      },
    });
    const [stream] = await openPodPorts(server.connect(), { ...pod, ports: [8265] });
    expect(await text(stream ?? fail())).toBe('hi');
  });

  test('what the node says about a port fails that stream only', async () => {
    await using server = await start((session) => {
      session.send(1, 'error forwarding port 1 to pod head: connection refused');
      shout(session);
    });
    const [broken, fine] = await openPodPorts(server.connect(), { ...pod, ports: [1, 6379] });
    await expect(text(broken ?? fail())).rejects.toThrow(
      'port 1: error forwarding port 1 to pod head: connection refused',
    );
    fine?.write('still');
    expect(String((await once(fine ?? fail(), 'data'))[0])).toBe('STILL');
    fine?.destroy();
  });

  test('the pod hanging up ends the stream, a broken connection fails it', async () => {
    await using ending = await start((session) => {
      session.send(0, 'bye');
      session.socket.close(1000);
    });
    const [ended] = await openPodPorts(ending.connect(), { ...pod, ports: [80] });
    expect(await text(ended ?? fail())).toBe('bye');
    await using breaking = await start((session) => session.socket.terminate());
    const [broken] = await openPodPorts(breaking.connect(), { ...pod, ports: [80] });
    await expect(text(broken ?? fail())).rejects.toThrow('the stream was cut off');
  });

  test('destroying the last stream closes the WebSocket', async () => {
    const closed = Promise.withResolvers<number>();
    await using server = await start((session) => session.socket.once('close', closed.resolve));
    const streams = await openPodPorts(server.connect(), { ...pod, ports: [80, 81] });
    for (const stream of streams) stream.destroy();
    expect(await closed.promise).toBe(1000);
  });

  test('a megabyte arrives whole in both directions', async () => {
    const body = Buffer.alloc(1_000_000, 'a');
    await using server = await start((session) => {
      let got = 0;
      session.socket.on('message', (data: Buffer) => {
        got += data.length - 1;
        session.send(0, data.subarray(1));
        if (got === body.length) session.socket.close(1000);
      });
    });
    const [stream] = await openPodPorts(server.connect(), { ...pod, ports: [80] });
    stream?.write(body);
    expect((await text(stream ?? fail())).length).toBe(body.length);
  });
});

describe('listening on this machine', () => {
  test('each connection is carried to the pod over its own WebSocket', async () => {
    await using server = await start(shout);
    const forwarding = await forwardPorts(server.connect(), { ...pod, ports: [{ local: 0, remote: 8265 }] });
    const { local, remote } = forwarding.ports[0] ?? fail();
    expect(remote).toBe(8265);
    const clients = ['one', 'two'].map((word) => {
      const client = connect(local, '127.0.0.1');
      client.write(word);
      return client;
    });
    const answers = await Promise.all(clients.map(async (client) => String((await once(client, 'data'))[0])));
    expect(answers).toEqual(['ONE', 'TWO']);
    expect(server.requests).toHaveLength(2);
    await forwarding.close();
    await Promise.all(clients.map(async (client) => client.destroyed || once(client, 'close')));
  });

  test('the pod hanging up ends the connection', async () => {
    await using server = await start((session) => {
      session.send(0, 'bye');
      session.socket.close(1000);
    });
    const forwarding = await forwardPorts(server.connect(), { ...pod, ports: [{ local: 0, remote: 80 }] });
    expect(await text(connect(forwarding.ports[0]?.local ?? 0, '127.0.0.1'))).toBe('bye');
    await forwarding.close();
  });

  test('a client that finished sending still gets its answer', async () => {
    await using server = await start(async (session) => {
      await session.until((received) => received.length > 0);
      session.send(0, `got ${session.received[0]?.[1]}`);
      session.socket.close(1000);
    });
    const forwarding = await forwardPorts(server.connect(), { ...pod, ports: [{ local: 0, remote: 80 }] });
    const client = connect({ port: forwarding.ports[0]?.local ?? 0, host: '127.0.0.1', allowHalfOpen: true });
    client.end('question');
    expect(await text(client)).toBe('got question');
    await forwarding.close();
  });

  test('a client that leaves closes the WebSocket', async () => {
    const closed = Promise.withResolvers<number>();
    await using server = await start((session) => {
      shout(session);
      session.socket.once('close', closed.resolve);
    });
    const forwarding = await forwardPorts(server.connect(), { ...pod, ports: [{ local: 0, remote: 80 }] });
    const client = connect(forwarding.ports[0]?.local ?? 0, '127.0.0.1');
    client.write('x');
    await once(client, 'data');
    client.resetAndDestroy();
    expect(await closed.promise).toBe(1000);
    await forwarding.close();
  });

  test('a refusal is reported and the next connection is tried anew', async () => {
    let refusals = 1;
    await using server = await start(shout, {
      refuse: () => (refusals-- > 0 ? { status: 404, body: 'pods "head" not found' } : undefined),
    });
    const errors: string[] = [];
    const forwarding = await forwardPorts(server.connect(), {
      ...pod,
      ports: [{ local: 0, remote: 80 }],
      onError: (error, port) => errors.push(`${port}: ${error.message}`),
    });
    const { local } = forwarding.ports[0] ?? fail();
    await once(
      connect(local, '127.0.0.1').on('error', () => undefined),
      'close',
    );
    expect(errors).toEqual(['80: pods "head" not found']);
    const client = connect(local, '127.0.0.1');
    client.write('again');
    expect(String((await once(client, 'data'))[0])).toBe('AGAIN');
    client.destroy();
    await forwarding.close();
  });

  test('what the node says about a port is reported', async () => {
    await using server = await start((session) => session.send(1, 'connection refused'));
    const failed = Promise.withResolvers<string>();
    const forwarding = await forwardPorts(server.connect(), {
      ...pod,
      ports: [{ local: 0, remote: 80 }],
      onError: (error) => failed.resolve(error.message),
    });
    const client = connect(forwarding.ports[0]?.local ?? 0, '127.0.0.1');
    await once(client, 'close');
    expect(await failed.promise).toBe('port 80: connection refused');
    await forwarding.close();
  });

  test('a port that is taken fails, and nothing is left listening', async () => {
    await using server = await start(shout);
    const ports = [
      { local: 0, remote: 80 },
      { local: server.port, remote: 81 },
    ];
    await expect(forwardPorts(server.connect(), { ...pod, ports })).rejects.toThrow('EADDRINUSE');
  });
});

function fail(): never {
  throw new Error('a stream is missing');
}
