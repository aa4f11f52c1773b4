import { once } from 'node:events';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { backendOf, tableOf } from '../testing/backends.ts';
import { DATA, framesOf, reset, RST_STREAM, sendBeginning, settings } from '../testing/http2-frames.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

/** A proxy before a pod that hears everything and says nothing but its `greeting`. */
async function listeningPod(protocol: 'auto' | 'http2', greeting?: Buffer, rule: Parameters<typeof tableOf>[1] = {}) {
  const { proxy, port } = await parts.proxy();
  let heard = Buffer.alloc(0);
  let look = () => {};
  let connected: (socket: Socket) => void = () => {};
  const socket = new Promise<Socket>((resolve) => (connected = resolve));
  const pod = await parts.tcpBackend((opened) => {
    connected(opened);
    if (greeting !== undefined) opened.write(greeting);
    opened.on('data', (bytes) => {
      heard = Buffer.concat([heard, bytes]);
      look();
    });
  });
  proxy.setTable(tableOf([backendOf('d/a:1', 1, { address: { ...pod.address, protocol } })], rule));
  const hears = (isEnough: (heard: Buffer) => boolean) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (isEnough(heard)) resolve();
      };
      look();
    });
  const closed = async () => {
    const opened = await socket;
    if (!opened.closed) await once(opened, 'close');
  };
  return { port, hears, closed, heard: () => heard, outstanding: () => [...proxy.outstanding().values()] };
}

const resets = {
  CANCEL: constants.NGHTTP2_CANCEL,
  NO_ERROR: constants.NGHTTP2_NO_ERROR,
  INTERNAL_ERROR: constants.NGHTTP2_INTERNAL_ERROR,
};

describe.each(Object.entries(resets))('a client of HTTP/2 that resets with %s', (_, code) => {
  it('before it is answered leaves nothing behind', async () => {
    const pod = await listeningPod('auto');
    const client = sendBeginning(parts, pod.port, 'GET');
    await pod.hears((heard) => heard.includes('\r\n\r\n'));
    reset(client, code);
    await pod.closed();
    expect(pod.outstanding()).toEqual([0]);
  });

  it('in the middle of its body does not have it taken for whole by a pod of HTTP/1.1', async () => {
    const pod = await listeningPod('auto');
    const client = sendBeginning(parts, pod.port, 'POST', 'part of it');
    await pod.hears((heard) => heard.includes('part of it'));
    reset(client, code);
    await pod.closed();
    expect(pod.heard().toString('latin1')).toMatch(/part of it\r\n$/);
  });

  it('in the middle of its body does not have it taken for whole by a pod of HTTP/2', async () => {
    const pod = await listeningPod('http2', settings);
    const client = sendBeginning(parts, pod.port, 'POST', 'part of it');
    await pod.hears((heard) => heard.includes('part of it'));
    reset(client, code);
    await pod.hears((heard) => framesOf(heard).some(({ kind }) => kind === RST_STREAM));
    expect(framesOf(pod.heard()).filter(({ kind }) => kind === DATA)).toEqual([{ kind: DATA, isLast: false }]);
  });
});

it('a body that was still coming when the time for the answer was over is not taken for whole', async () => {
  const pod = await listeningPod('http2', settings, { timeoutMs: 30 });
  sendBeginning(parts, pod.port, 'POST', 'part of it');
  await pod.hears((heard) => framesOf(heard).some(({ kind }) => kind === RST_STREAM));
  expect(framesOf(pod.heard()).filter(({ kind }) => kind === DATA)).toEqual([{ kind: DATA, isLast: false }]);
});

it('a client of HTTP/2 that ends its connection has left', async () => {
  const pod = await listeningPod('auto');
  const client = sendBeginning(parts, pod.port, 'GET');
  await pod.hears((heard) => heard.includes('\r\n\r\n'));
  client.end();
  await pod.closed();
  expect(pod.outstanding()).toEqual([0]);
});
