import { type KubeObject, type RayService } from '@manta/api';
import { resources } from '@manta/kube';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageFolder } from '../../packages/manta/src/console/page-folder.ts';
import { startChromium } from './chromium.ts';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';
import { clusterSpec } from './demo/builders.ts';

const ATTACK = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const LINK = 'javascript:window.attacked=1';

let fixture: ConsoleFixture;
let browser: Awaited<ReturnType<typeof startChromium>>;
let page: Page;

beforeAll(async () => {
  const podBackend = {
    handle: async ({
      response,
    }: {
      response: { writeHead(code: number, headers: object): unknown; write(text: string): unknown; end(): unknown };
    }) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write(`${ATTACK}\n\u001b[31m${ATTACK}\u001b]8;;${LINK}\u0007link\n`);
      response.end();
    },
  };
  fixture = await startConsoleFixture({
    hasOneTimeUrls: true,
    page: (await pageFolder('')) ?? '',
    engine: { podBackend },
  });
  await createHostileObjects();
  browser = await startChromium();
  page = await browser.context.newPage();
  await page.goto(fixture.links.at(-1) ?? '');
});
afterAll(async () => {
  await browser.close();
  await fixture.close();
});

const at = { namespace: 'default', name: 'hostile' };
const condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Attack',
  message: ATTACK,
  lastTransitionTime: new Date().toISOString(),
} as const;

async function createHostileObjects(): Promise<void> {
  const { client } = fixture.engine;
  const metadata = { ...at, annotations: { note: ATTACK } };
  const rayClusterSpec = clusterSpec([{ name: 'workers', replicas: 1 }], ATTACK);
  const write = async <T extends KubeObject>(
    type: Parameters<typeof client.create<T>>[0],
    object: T,
    status: object,
  ) => {
    const made = await client.create(type, object);
    await client.update(type, { ...made, status }, { subresource: 'status' });
    return made.metadata?.uid ?? '';
  };
  const serving = {
    rayClusterName: ATTACK,
    applicationStatuses: {
      [ATTACK]: {
        status: ATTACK,
        message: ATTACK,
        serveDeploymentStatuses: { [ATTACK]: { status: ATTACK, message: ATTACK } },
      },
    },
  };
  const uid = await write(
    resources.rayJobs,
    { metadata, spec: { entrypoint: ATTACK, rayClusterSpec } },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      message: ATTACK,
      rayClusterName: 'hostile',
      attempts: [
        {
          number: 1,
          rayClusterName: ATTACK,
          submissionId: ATTACK,
          startTime: new Date().toISOString(),
          outcome: 'Failed',
          reason: ATTACK,
        },
      ],
    },
  );
  await write(resources.rayClusters, { metadata, spec: rayClusterSpec }, { conditions: [condition], reason: ATTACK });
  await write<RayService>(
    resources.rayServices,
    { metadata, spec: { serveConfigV2: ATTACK, rayClusterConfig: rayClusterSpec } },
    { conditions: [condition], activeServiceStatus: serving },
  );
  await client
    .create(resources.rayCronJobs, {
      metadata,
      spec: { schedule: ATTACK, timeZone: ATTACK, jobTemplate: { entrypoint: ATTACK, rayClusterSpec } },
    })
    .catch(() => undefined);
  await write(
    resources.pods,
    {
      metadata: {
        ...at,
        labels: { 'ray.io/cluster': 'hostile', 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' },
      },
      spec: { nodeName: 'node', containers: [{ name: 'ray-head', image: 'x' }] },
    },
    {
      phase: 'Failed',
      reason: ATTACK,
      containerStatuses: [
        {
          name: 'ray-head',
          image: 'x',
          imageID: '',
          ready: false,
          restartCount: 1,
          state: { terminated: { exitCode: 1, reason: ATTACK, message: ATTACK } },
        },
      ],
    },
  );
  await client.create(resources.events, {
    metadata: { ...at, name: 'hostile.1' },
    eventTime: new Date().toISOString().replace('Z', '000Z'),
    reportingController: 'test',
    reportingInstance: 'test',
    action: 'Attack',
    reason: 'Attack',
    type: 'Warning',
    note: ATTACK,
    regarding: { apiVersion: 'ray.io/v1', kind: 'RayJob', ...at, uid },
  } as never);
}

const EDITOR = '/editor?kind=RayJob&namespace=default&name=hostile';
const PATHS = [
  '/',
  '/jobs',
  '/clusters',
  '/services',
  '/cron',
  '/jobs/default/hostile',
  '/clusters/default/hostile',
  '/services/default/hostile',
  EDITOR,
  '/operator',
];

describe('text from tenants', () => {
  it.each(PATHS)('is text on %s', async (path) => {
    await page.goto(new URL(path, fixture.console.url).href);
    await page.waitForSelector(path === EDITOR ? '.cm-content >> text=onerror' : 'h1');
    if (path.endsWith('hostile') && path !== EDITOR) await page.waitForSelector('text=onerror');
    if (path.startsWith('/jobs/')) await page.selectOption('[aria-label="Log of"]', 'hostile · ray-head');
    if (path.startsWith('/jobs/') || path.startsWith('/clusters/'))
      await page.waitForSelector('.log .line >> text=onerror');
    expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
    expect(await page.locator('img, script:not([src]), a[href^="javascript:"], iframe').count()).toBe(0);
  });

  it('cannot become a page of the console: a log is not answered without the key of the session', async () => {
    const path = '/api/v1/namespaces/default/pods/hostile/log?container=ray-head';
    const answer = await page.goto(new URL(path, fixture.console.url).href);
    expect(answer?.status()).toBe(401);
    expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
  });
});
