import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageFolder } from '../../packages/manta/src/console/page-folder.ts';
import { seriousFindings } from './axe.ts';
import { startChromium } from './chromium.ts';
import { comparePictures } from './compare-pictures.ts';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';
import { createDemoClock, DEMO_NOW } from './demo/clock.ts';
import { createDemo } from './demo/create-demo.ts';
import { demoLogs } from './demo/pod-logs.ts';
import { settled, VIEWS } from './demo/views.ts';

const PICTURES = join(import.meta.dirname, 'pictures');
/** Set to 1 after a change of the page that is meant: the pictures are written again. */
const IS_UPDATE = process.env['MANTA_UPDATE_PICTURES'] === '1';
const MAX_DIFFERENCE = 0.02;
const MAX_SCRIPT_BYTES = 150 * 1024;
/** These have a picture in the repository; the others are only checked for accessibility. */
const PICTURED = [
  'home',
  'jobs',
  'clusters',
  'services',
  'job',
  'running',
  'cluster',
  'service',
  'schedule',
  'editor-changed',
  'new',
  'operator',
];

let fixture: ConsoleFixture;
let browser: Awaited<ReturnType<typeof startChromium>>;
let page: Page;
let folder: string;

beforeAll(async () => {
  const clock = createDemoClock();
  folder = (await pageFolder('')) ?? '';
  fixture = await startConsoleFixture({ hasOneTimeUrls: true, page: folder, engine: { clock, podBackend: demoLogs } });
  await createDemo(fixture.engine, clock);
  browser = await startChromium();
  page = await browser.context.newPage();
  await page.clock.setFixedTime(DEMO_NOW);
  await page.goto(fixture.links.at(-1) ?? '');
});
afterAll(async () => {
  await browser.close();
  await fixture.close();
});

describe.each(Object.entries(VIEWS))('the view %s', (name, view) => {
  it('looks like its picture and has no serious finding of axe, light and dark', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(new URL(view.path, fixture.console.url).href);
    await settled(page, fixture.engine.client, view);
    const difference = PICTURED.includes(name) ? await differenceFromPicture(name) : 0;
    expect(difference).toBeLessThan(MAX_DIFFERENCE);
    expect({ light: await seriousFindings(page) }).toEqual({ light: [] });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect({ dark: await seriousFindings(page) }).toEqual({ dark: [] });
  });
});

/** Compares the page with the picture of this view. */
async function differenceFromPicture(name: string): Promise<number> {
  const file = join(PICTURES, `${name}.png`);
  const former = existsSync(file) && !IS_UPDATE ? readFileSync(file) : undefined;
  const { small, difference } = await comparePictures(browser.context, await page.screenshot(), former);
  if (IS_UPDATE) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(file, small);
    return 0;
  }
  return difference;
}

describe('the built page', () => {
  it('loads at most 150 KB of JavaScript, compressed, before it shows anything', () => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file = '']) => file);
    const bytes = first
      .map((file) => gzipSync(readFileSync(join(folder, file))).length)
      .reduce((sum, each) => sum + each, 0);
    expect(first.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('loads the editor only when it is opened', () => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(readdirSync(join(folder, 'assets')).some((file) => file.startsWith('editor-'))).toBe(true);
    expect(html).not.toContain('editor-');
  });
});
