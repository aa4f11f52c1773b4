import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideKubeAssets } from '../../../tools/fetch/kube/provide.ts';
import { endLocalRay, type LocalRay, startLocalRay } from '../support/local-ray.ts';
import { matches, stepsIn } from './console-block.ts';
import { Shell } from './shell.ts';

const root = resolve(import.meta.dirname, '../../..');
const guide = readdirSync(join(root, 'docs/guide')).map((file) => `docs/guide/${file}`);
/** Pages with commands to execute. */
const pages = [...guide, 'docs/local.md', 'docs/production/istio.md'].filter((file) => stepsOf(file).length > 0);

/** The steps of a page, without those of a session that a tool recorded: it starts an engine of its own. */
function stepsOf(file: string) {
  const text = readFileSync(join(root, file), 'utf8');
  return stepsIn(text.slice(text.indexOf('<!-- End of the recorded session. -->') + 1));
}

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
      for (const { command, expected } of stepsOf(file)) {
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
