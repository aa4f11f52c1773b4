/* oxlint-disable vitest/expect-expect -- `shows` is the assertion */
import { resources } from '@manta/kube';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pageFolder } from '../../packages/manta/src/console/page-folder.ts';
import { startChromium } from './chromium.ts';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';

const SCRIPT = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';

let fixture: ConsoleFixture;
let browser: Awaited<ReturnType<typeof startChromium>>;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  fixture = await startConsoleFixture({ hasOneTimeUrls: true, page: (await pageFolder('')) ?? '' });
  browser = await startChromium();
  page = await browser.context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Refused requests are part of some tests; broken policies are not.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
});
afterAll(async () => {
  await browser.close();
  await fixture.close();
});
// oxlint-disable-next-line vitest/no-standalone-expect -- holds for every test
afterEach(() => expect(problems.splice(0)).toEqual([]));

const cluster = {
  headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.53.0' }] } } },
};
const job = (name: string, status: object = {}) => ({
  metadata: { name, namespace: 'default' },
  spec: { entrypoint: 'python main.py', rayClusterSpec: cluster },
  status,
});
const createJob = async (name: string, status: object) => {
  const { client } = fixture.engine;
  const made = await client.create(resources.rayJobs, job(name));
  await client.update(resources.rayJobs, { ...made, status }, { subresource: 'status' });
};
/** Waits until the page shows it. */
const shows = async (selector: string) => expect(await page.waitForSelector(selector)).toBeTruthy();
const open = (path: string) => page.goto(new URL(path, fixture.console.url).href);
const logIn = () => page.goto(fixture.links.at(-1) ?? '');

describe('the console in Chromium', () => {
  it('asks for a login, names what went wrong, and shows the page after a right token', async () => {
    await open('/jobs');
    await page.fill('#token', 'wrong');
    await page.click('text=Log in');
    await shows('text=does not accept these credentials');
    await page.fill('#token', 'ada');
    await page.click('button:has-text("Log in")');
    await shows('text=There is no RayJob yet.');
  });

  it('logs in by a one-time link and keeps the session over a reload', async () => {
    await page.context().clearCookies();
    await logIn();
    await shows('nav >> text=Jobs');
    await page.reload();
    await shows('nav >> text=Jobs');
  });

  it('opens its stream again after an answer that is none, and asks for a login if the session is gone', async () => {
    const failOnce = () => page.route('**/api/stream?*', (route) => route.fulfill({ status: 502 }), { times: 1 });
    await failOnce();
    await open('/jobs');
    await shows('text=connection lost');
    await shows('text=● live');
    await failOnce();
    await open('/jobs');
    await shows('text=connection lost');
    await page.context().clearCookies();
    await shows('text=Your session has ended');
    await logIn();
    await shows('nav >> text=Jobs');
  });

  it('stays logged in when a link brings a key of no session', async () => {
    await open('/clusters');
    await shows('nav >> text=Jobs');
    await open('/#key=from-elsewhere');
    await shows('nav >> text=Jobs');
    expect(new URL(page.url()).hash).toBe('');
  });

  it('shows new jobs and changes without a reload', async () => {
    await open('/jobs');
    await shows('text=There is no RayJob yet.');
    await createJob('train', { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING', rayClusterName: 'train-x' });
    await shows('.vrow:has-text("train") >> text=Running');
    const current = await fixture.engine.client.get(resources.rayJobs, { namespace: 'default', name: 'train' });
    const failed = {
      jobDeploymentStatus: 'Failed',
      jobStatus: 'FAILED',
      reason: 'AppFailed',
      message: 'ValueError: no data',
    };
    await fixture.engine.client.update(
      resources.rayJobs,
      { ...current, status: { ...current.status, ...failed } } as typeof current,
      { subresource: 'status' },
    );
    await shows('.vrow:has-text("train") >> text=Failed');
  });

  it('shows the cause of a failed job within two clicks', async () => {
    await open('/');
    await page.click('text=RayJob default/train');
    expect(await page.textContent('.why')).toContain('ValueError: no data');
  });

  it('keeps filters in the URL and restores them', async () => {
    await open('/jobs');
    await page.fill('#filter', 'nothing-like-this');
    await shows('text=Nothing matches these filters.');
    expect(page.url()).toContain('q=nothing-like-this');
    await page.reload();
    await shows('text=Nothing matches these filters.');
    await page.click('text=Clear filters');
    await shows('.vrow:has-text("train")');
  });

  it('is used by keyboard: g c, Ctrl-K, ?', async () => {
    await open('/jobs');
    await shows('.vrow');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL('**/clusters');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('train');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/jobs/default/train');
    await page.keyboard.press('?');
    await shows('dialog >> text=Keys');
    await page.keyboard.press('Escape');
  });

  it('deletes a job with the rights of the viewer, and says what is deleted with it', async () => {
    await open('/jobs/default/train');
    await page.click('button:has-text("Delete")');
    await shows('dialog >> text=Nothing else is deleted with it.');
    await page.click('dialog >> button:has-text("Delete")');
    await page.waitForURL('**/jobs');
    await shows('text=There is no RayJob yet.');
  });

  it('shows text from tenants as text', async () => {
    await createJob('attack', {
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      message: SCRIPT,
      rayClusterName: SCRIPT,
    });
    const { client } = fixture.engine;
    const { metadata } = await client.get(resources.rayJobs, { namespace: 'default', name: 'attack' });
    await client.create(resources.events, {
      metadata: { name: 'attack.1', namespace: 'default' },
      eventTime: new Date().toISOString().replace('Z', '000Z'),
      reportingController: 'test',
      reportingInstance: 'test',
      action: 'Attack',
      reason: 'Attack',
      type: 'Warning',
      note: SCRIPT,
      regarding: { apiVersion: 'ray.io/v1', kind: 'RayJob', namespace: 'default', name: 'attack', uid: metadata?.uid },
    } as never);
    for (const path of ['/', '/jobs', '/jobs/default/attack']) {
      await open(path);
      await shows('text=attack');
    }
    await shows('td:has-text("onerror")');
    expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
  });

  it('scrolls 3,000 jobs with a few dozen rows in the document', async () => {
    const { client } = fixture.engine;
    for (let at = 0; at < 3000; at += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => client.create(resources.rayJobs, job(`many-${at + index}`))),
      );
    await open('/jobs?sort=Name');
    await shows('h1:has-text("3,001")');
    await page.evaluate("document.querySelector('.vtable').scrollTo({ top: 50000 })");
    // Not waitForFunction: it evaluates text inside the page, which the page's policy refuses.
    const isScrolled =
      "document.querySelector('.vrow').getBoundingClientRect().top > -2000 && document.querySelector('.vtable').scrollTop > 40000";
    await expect.poll(() => page.evaluate(isScrolled)).toBe(true);
    expect(await page.locator('.vrow').count()).toBeLessThan(80);
  });
});
