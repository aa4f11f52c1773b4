import { createMetricsRegistry } from '@manta/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { observeInMetrics } from '../../packages/router/src/router-metrics.ts';
import { ask } from '../../packages/router/src/testing/ask.ts';
import { backendOf, tableOf } from '../../packages/router/src/testing/backends.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

async function start() {
  const metrics = createMetricsRegistry();
  const { proxy, port } = await parts.proxy({ observer: observeInMetrics(metrics) });
  const series = () =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line.startsWith('manta_router_requests_total'));
  return { proxy, port, series };
}

describe('series of the router’s metrics', () => {
  it('end with their backend', async () => {
    const { proxy, port, series } = await start();
    const backend = await parts.says('ok');
    for (let i = 0; i < 50; i += 1) {
      proxy.setTable(tableOf([backendOf(`d/svc-${i}:1`, 1, backend)]));
      await ask(port);
    }
    expect(series()).toEqual([expect.stringContaining('backend="d/svc-49:1",code="200"')]);
  });

  it('are as few as there are names of codes, whatever a backend answers', async () => {
    const { proxy, port, series } = await start();
    const backend = await parts.tcpBackend((socket) => {
      socket.on('data', (chunk) => {
        const code = /\/(\d+)/.exec(String(chunk))?.[1] ?? '200';
        socket.write(`HTTP/1.1 ${code} X\r\ncontent-length: 0\r\n\r\n`);
      });
    });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, backend)]));
    for (let code = 430; code < 999; code += 7) await ask(port, { path: `/${code}` });
    expect(series().length).toBeLessThan(25);
    expect(series().join()).toContain('code="9xx"');
  });

  it('do not come back with a late answer', async () => {
    const { proxy, port, series } = await start();
    let answer = () => undefined as unknown;
    const backend = await parts.backend((_, response) => {
      answer = () => response.end('late');
    });
    proxy.setTable(tableOf([backendOf('d/old:1', 1, backend)]));
    const asked = ask(port);
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.setTable(tableOf([]));
    answer();
    await asked;
    expect(series()).toEqual([expect.stringContaining('backend="former",code="200"')]);
  });
});
