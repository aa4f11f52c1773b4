import { type KubeClient, resources } from '@manta/kube';
import type { Page } from 'playwright-core';
import { ago } from './clock.ts';

/** A view of the console on the demo cluster. */
export interface View {
  readonly path: string;
  /** What it shows when it is complete. */
  readonly shows?: string;
  /** What a user does before the picture. */
  readonly act?: (page: Page, client: KubeClient) => Promise<void>;
}

const EDIT = '/editor?kind=RayJob&namespace=team-vision&name=train-resnet-b71';

/** Changes the number of retries in the editor. */
async function changeRetries(page: Page): Promise<void> {
  const line = page.locator('.cm-line', { hasText: 'backoffLimit' });
  await line.click();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('4');
  await page.waitForSelector('.cm-deletedChunk');
}

/** Moves the traffic of the upgrade in three steps, as the operator does. */
async function moveTraffic(page: Page, client: KubeClient): Promise<void> {
  const at = { namespace: 'team-search', name: 'llm-chat' };
  for (const [percent, secondsAgo] of [
    [25, 150],
    [50, 85],
    [75, 20],
  ] as const) {
    const side = { trafficRoutedPercent: percent, lastTrafficMigratedTime: ago(secondsAgo) };
    const status = { pendingServiceStatus: side, activeServiceStatus: { trafficRoutedPercent: 100 - percent } };
    await client.patch(resources.rayServices, at, { type: 'merge', body: { status } }, { subresource: 'status' });
    await page.waitForSelector(`text=${percent} % on the new cluster`);
  }
}

export const VIEWS: Readonly<Record<string, View>> = {
  home: { path: '/' },
  jobs: { path: '/jobs' },
  clusters: { path: '/clusters' },
  services: { path: '/services' },
  cron: { path: '/cron' },
  job: { path: '/jobs/team-vision/train-resnet-b71', shows: '.log .line' },
  running: { path: '/jobs/team-vision/embed-nightly-0412', shows: '.log .line' },
  cluster: { path: '/clusters/team-vision/notebook-ada', shows: '.log .line' },
  service: { path: '/services/team-search/llm-chat', act: moveTraffic },
  schedule: { path: '/cron/team-vision/embed-nightly' },
  editor: { path: EDIT, shows: '.cm-content' },
  'editor-changed': { path: EDIT, shows: '.cm-content', act: changeRetries },
  new: { path: '/new' },
  operator: { path: '/operator' },
  absent: { path: '/jobs/team-vision/no-such-job' },
};

/** Waits until a view is complete and nothing moves. */
export async function settled(page: Page, client: KubeClient, { shows, act }: View): Promise<void> {
  await page.waitForSelector('h1');
  await page.waitForSelector('.live:not(.connecting)');
  if (shows !== undefined) await page.waitForSelector(shows, { timeout: 5000 }).catch(() => undefined);
  await act?.(page, client);
  await page.waitForTimeout(400);
}
