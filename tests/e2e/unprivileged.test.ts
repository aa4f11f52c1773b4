import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { podLogLines, resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asNobody, whyNotAsNobody } from './support/as-nobody.ts';
import { endLocalRay, type LocalRay, newFolder, startLocalRay } from './support/local-ray.ts';
import { create, NAMESPACE, podsOf, untilObject } from './support/look.ts';

const SAMPLE = resolve(import.meta.dirname, '../../samples/rayjob.yaml');

describe.skipIf(whyNotAsNobody !== undefined)('a user without any privileges', () => {
  const folder = newFolder();
  let ray: LocalRay;

  beforeAll(async () => {
    ray = await startLocalRay({ folder, through: asNobody(folder) });
  });
  afterAll(() => endLocalRay(ray));

  it('runs the sample RayJob on real Ray', async () => {
    expect(readFileSync(`/proc/${ray.pid}/status`, 'utf8')).toMatch(/Uid:\s61500\s[^]*CapEff:\s0+\nCapBnd:\s0+\n/);
    expect(ray.log()).toContain('pods run in a user namespace');
    await create(ray, readFileSync(SAMPLE, 'utf8'));
    const { status } = await untilObject(ray, resources.rayJobs, 'hello', (job) =>
      ['Complete', 'Failed'].includes(job.status?.jobDeploymentStatus ?? ''),
    );
    expect(status?.jobStatus).toBe('SUCCEEDED');
    const [submitter] = await podsOf(ray, { 'job-name': 'hello' });
    const lines: string[] = [];
    const options = { namespace: NAMESPACE, pod: submitter?.metadata?.name ?? '' };
    for await (const line of podLogLines(ray.transport, options)) lines.push(line);
    expect(lines.join('\n')).toMatch(/Ray [\d.]+ ran 20 tasks:/);
  });
});
