import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pageFolder } from '../../../packages/manta/src/console/page-folder.ts';
import { startChromium } from '../../../tests/console/chromium.ts';
import { startConsoleFixture } from '../../../tests/console/console-fixture.ts';
import type { DemoObject } from '../../../tests/console/demo/builders.ts';
import { createDemoClock, DEMO_NOW } from '../../../tests/console/demo/clock.ts';
import { createDemo } from '../../../tests/console/demo/create-demo.ts';
import { DEMO_OBJECTS } from '../../../tests/console/demo/objects.ts';
import { demoLogs } from '../../../tests/console/demo/pod-logs.ts';
import { settled, VIEWS } from '../../../tests/console/demo/views.ts';

/** The pictures of README.md and docs/console.md: the demo cluster of the console's tests, at a fixed time. */
const IN_DOCS: Readonly<Record<string, string>> = {
  home: 'console-home',
  job: 'console-job',
  jobs: 'console-jobs',
  cluster: 'console-cluster',
  service: 'console-service',
  'editor-changed': 'console-editor',
};

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(import.meta.dirname, '../../../docs/images') },
    views: { type: 'string', default: Object.keys(IN_DOCS).join(',') },
    widths: { type: 'string', default: '1280' },
    schemes: { type: 'string', default: 'light' },
    /** `none`, `demo` or `many`: how many objects the cluster has. */
    objects: { type: 'string', default: 'demo' },
  },
});

function objectsOf(mode: string): readonly DemoObject[] {
  if (mode === 'none') return [];
  if (mode !== 'many') return DEMO_OBJECTS;
  const jobs = DEMO_OBJECTS.filter(({ kind, owner }) => kind === 'RayJob' && owner === undefined);
  const copies = Array.from({ length: 3000 }, (_, at) => {
    const job = jobs[at % jobs.length];
    return job === undefined
      ? []
      : [
          {
            ...job,
            ageSeconds: 60 + at * 61,
            metadata: { name: `sweep-${at}${'x'.repeat(at % 40)}`, namespace: `team-${at % 7}` },
          },
        ];
  });
  return [...DEMO_OBJECTS, ...copies.flat()];
}

const clock = createDemoClock();
const page = await pageFolder('');
if (page === undefined) throw new Error('the page is not built');
const fixture = await startConsoleFixture({ hasOneTimeUrls: true, page, engine: { clock, podBackend: demoLogs } });
await createDemo(fixture.engine, clock, objectsOf(values.objects));
const browser = await startChromium();
const tab = await browser.context.newPage();
tab.on('pageerror', ({ message }) => console.error(message));
await tab.clock.setFixedTime(DEMO_NOW);
await tab.goto(fixture.links.at(-1) ?? '');
mkdirSync(values.out, { recursive: true });
const isForDocs = values.widths === '1280' && values.schemes === 'light' && values.objects === 'demo';
for (const name of values.views === 'all' ? Object.keys(VIEWS) : values.views.split(',')) {
  const view = VIEWS[name];
  if (view === undefined) throw new Error(`there is no view ${name}: use ${Object.keys(VIEWS).join(', ')}`);
  for (const width of values.widths.split(',')) {
    for (const scheme of values.schemes.split(',')) {
      await tab.setViewportSize({ width: Number(width), height: 860 });
      await tab.emulateMedia({ colorScheme: scheme === 'dark' ? 'dark' : 'light' });
      await tab.goto(new URL(view.path, fixture.console.url).href);
      await settled(tab, fixture.engine.client, view);
      const file = isForDocs ? (IN_DOCS[name] ?? name) : `${name}-${width}-${scheme}-${values.objects}`;
      await tab.screenshot({ path: join(values.out, `${file}.png`), fullPage: width === '390' });
      console.log(`${file}.png`);
    }
  }
}
await browser.close();
await fixture.close();
