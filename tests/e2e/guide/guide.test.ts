import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideKubeAssets } from '../../../tools/fetch/kube/provide.ts';
import { endLocalRay, type LocalRay, startLocalRay } from '../support/local-ray.ts';
import { matches, stepsIn } from './console-block.ts';
import { Shell } from './shell.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'docs/guide');
const pages = readdirSync(folder).filter((file) => stepsIn(readFileSync(join(folder, file), 'utf8')).length > 0);

describe('the guide', () => {
  let ray: LocalRay;
  let programs: string;
  beforeAll(async () => {
    programs = await provideKubeAssets({ extra: ['kubectl'] });
    ray = await startLocalRay({ args: ['--feature-gates=RayCronJob=true'] });
  });
  afterAll(() => endLocalRay(ray));

  it.each(pages)('%s: each command does what the page shows', async (file) => {
    const shell = new Shell(root, {
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: ray.kubeconfig,
      HOME: ray.folder,
    });
    try {
      for (const { command, expected } of stepsIn(readFileSync(join(folder, file), 'utf8'))) {
        const { output, status } = await shell.run(command);
        const shown = { command, status, output };
        expect({ ...shown, isAsPromised: matches(output, expected) }).toEqual({
          ...shown,
          status: 0,
          isAsPromised: true,
        });
      }
    } finally {
      await shell.end();
    }
  });
});
