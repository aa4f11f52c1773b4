/* oxlint-disable vitest/expect-expect -- `shows` is the assertion */
import { resources, systemClock } from '@manta/kube';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageFolder } from '../../packages/manta/src/console/page-folder.ts';
import { startChromium } from './chromium.ts';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';
import { clusterSpec } from './demo/builders.ts';

let fixture: ConsoleFixture;
let browser: Awaited<ReturnType<typeof startChromium>>;
let page: Page;
/** How far the console's clock is ahead. */
let aheadMs = 0;
const clock = { ...systemClock, now: () => Date.now() + aheadMs };

beforeAll(async () => {
  fixture = await startConsoleFixture({ clock, page: (await pageFolder('')) ?? '' });
  browser = await startChromium();
  page = await browser.context.newPage();
});
afterAll(async () => {
  await browser.close();
  await fixture.close();
});

const shows = async (selector: string, where = page) => expect(await where.waitForSelector(selector)).toBeTruthy();
const open = (path: string, where = page) => where.goto(new URL(path, fixture.console.url).href);
const logIn = async (token: string, where = page) => {
  await where.fill('#token', token);
  await where.click('button:has-text("Log in")');
  await shows('nav >> text=Jobs', where);
};
const start = async (token: string, path = '/') => {
  await page.context().clearCookies();
  await open(path);
  await logIn(token);
};

const job = (name: string, namespace = 'default', spec: object = {}) => ({
  metadata: { name, namespace },
  spec: { entrypoint: 'python tarin.py', rayClusterSpec: clusterSpec([{ name: 'workers', replicas: 1 }]), ...spec },
});
/** Writes the status that the operator writes. */
const report = async (name: string, status: object) => {
  const { client } = fixture.engine;
  const found = await client.get(resources.rayJobs, { namespace: 'default', name });
  await client.update(resources.rayJobs, { ...found, status }, { subresource: 'status' });
};
const specOf = async (name: string) =>
  (await fixture.engine.client.get(resources.rayJobs, { namespace: 'default', name })).spec;
/** Replaces a part of a line in the editor. */
const edit = async (line: string, text: string, where = page) => {
  await where.locator('.cm-content .cm-line', { hasText: line }).first().click();
  await where.keyboard.press('End');
  await where.keyboard.press('Shift+Home');
  await where.keyboard.type(text);
  await where.keyboard.press('Escape');
};

describe('a viewer with all rights', () => {
  it('finds the cause of a broken job within two clicks, corrects its YAML and sees the new job succeed', async () => {
    await fixture.engine.client.create(resources.rayJobs, job('train'));
    const message = "python: can't open file 'tarin.py'";
    await report('train', { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', reason: 'AppFailed', message });
    await start('ada');
    await page.click('.why >> text=RayJob default/train');
    await shows(".why >> text=can't open file");
    await page.click('a:has-text("Clone")');
    await edit('entrypoint:', 'entrypoint: python train.py');
    await shows('[aria-label="Check"] >> text=Accepted');
    await shows('[aria-label="Plan"] >> text=Create RayCluster');
    await page.click('button:has-text("Create")');
    await page.waitForURL('**/jobs/default/train-copy');
    expect((await specOf('train-copy'))?.entrypoint).toBe('python train.py');
    await report('train-copy', { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' });
    await shows('h1 >> text=Succeeded');
  });

  it('retries a job under a new name', async () => {
    await open('/jobs/default/train');
    await page.click('button:has-text("Retry")');
    await page.waitForURL('**/jobs/default/train-retry-*');
    await shows('h1:has-text("train-retry-")');
  });

  it('suspends and resumes a job after reading what happens', async () => {
    await fixture.engine.client.create(resources.rayJobs, job('pause-me'));
    await open('/jobs/default/pause-me');
    await page.click('button:has-text("Suspend")');
    await shows('dialog >> text=The operator deletes its pods');
    await page.click('dialog >> button:has-text("Suspend")');
    await page.click('button:has-text("Resume")');
    await shows('button:has-text("Suspend")');
    expect((await specOf('pause-me'))?.suspend).toBe(false);
  });

  it('deletes chosen jobs after reading which', async () => {
    for (const name of ['bulk-1', 'bulk-2']) await fixture.engine.client.create(resources.rayJobs, job(name));
    await open('/jobs?q=bulk-');
    await page.check('[aria-label="Choose all"]');
    await page.click('.bulk >> button:has-text("Delete")');
    await shows('dialog >> text=Delete 2 RayJobs?');
    await shows('dialog >> text=default/bulk-2');
    await page.click('dialog >> button:has-text("Delete")');
    await shows('text=Nothing matches these filters.');
  });

  it('gets both changes to compare when somebody else changed the object, and loses no text', async () => {
    const { client } = fixture.engine;
    await client.create(resources.rayJobs, job('shared'));
    await open('/editor?kind=RayJob&namespace=default&name=shared');
    await edit('entrypoint:', 'entrypoint: python mine.py');
    await shows('[aria-label="Check"] >> text=Accepted');
    const body = { spec: { backoffLimit: 3 } };
    await client.patch(resources.rayJobs, { namespace: 'default', name: 'shared' }, { type: 'merge', body });
    await shows('text=was changed by others since you opened it');
    await shows('[aria-label="What others changed"] >> text=backoffLimit: 3');
    await shows('[aria-label="What you changed"] >> text=mine.py');
    await page.click('button:has-text("Edit my text on top")');
    await shows('.cm-content >> text=mine.py');
    expect((await specOf('shared'))?.entrypoint).toBe('python tarin.py');
  });

  it('keeps what was typed when the session ends', async () => {
    await open('/editor?template=job');
    await edit('name: my-job', 'name: typed-by-hand');
    aheadMs += 13 * 3_600_000;
    await open('/editor?template=job');
    await logIn('ada');
    await shows('text=Your text from before is back');
    await shows('.cm-content >> text=typed-by-hand');
  });

  it('sees in one tab what happens in another, and is logged out in both', async () => {
    const other = await page.context().newPage();
    await open('/jobs', other);
    await open('/jobs');
    await fixture.engine.client.create(resources.rayJobs, job('in-both'));
    await shows('.vrow:has-text("in-both")');
    await shows('.vrow:has-text("in-both")', other);
    await page.click('button:has-text("Log out")');
    await shows('#token');
    await shows('#token', other);
    await shows('text=you logged out', other);
    await other.close();
  });
});

describe('a viewer with the right to read one namespace', () => {
  const reader = { namespace: 'team-a', name: 'read-ray' };

  beforeAll(async () => {
    const { client } = fixture.engine;
    for (const name of ['team-a', 'team-b']) {
      await client.create(resources.namespaces, { metadata: { name } });
      await client.create(resources.rayJobs, job(`of-${name}`, name));
    }
    const rules = [{ apiGroups: ['ray.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
    await client.create(resources.roles, { metadata: reader, rules });
    await client.create(resources.roleBindings, {
      metadata: reader,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: reader.name },
      subjects: [{ kind: 'User', name: 'vera', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  });

  it('sees only that one, and is told which right is missing when writing', async () => {
    await start('vera', '/jobs');
    await shows('.vrow:has-text("of-team-a")');
    expect(await page.locator('.vrow').count()).toBe(1);
    await open('/jobs/team-a/of-team-a');
    await page.click('button:has-text("Suspend")');
    await page.click('dialog >> button:has-text("Suspend")');
    await shows('[role=alert] >> text=User "vera" cannot patch resource "rayjobs"');
    await open('/jobs/team-b/of-team-b');
    await shows('text=There is no RayJob team-b/of-team-b');
  });

  it('loses the objects from the open page when the right is withdrawn', async () => {
    await open('/jobs');
    await shows('.vrow:has-text("of-team-a")');
    await fixture.engine.client.delete(resources.roleBindings, reader);
    aheadMs += 61_000;
    await page.waitForSelector('.vrow', { state: 'detached' });
    await shows('.empty');
  });
});
