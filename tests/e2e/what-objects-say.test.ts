import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KubeObject } from '@manta/api';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, NAMESPACE, until, untilObject } from './support/look.ts';
import { SERVICE, type Situation, SITUATIONS, TYPO, WORKING } from './support/situations.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/what-objects-say.md');
const TYPES = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
};

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly name?: string };
}

/** One line of what `kubectl get -o wide` shows of an object, and its Warning events. */
interface Shown {
  readonly reason: string;
  readonly message: string;
  readonly events: readonly string[];
}

/** The first line of a cell, like kubectl prints it, without what differs from run to run. */
function masked(text: string, name: string): string {
  const [line = ''] = text.split('\n');
  return line
    .replaceAll(new RegExp(`${name}-[a-z0-9]{5}(-head-[a-z0-9]{5})?`, 'g'), `${name}-…`)
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:]+Z/g, '…')
    .replaceAll(/has [\d.]+, [\d.]+ free/g, 'has 4, 1.5 free')
    .replaceAll(/restarted (once|\d+ times)/g, 'restarted 3 times')
    .replace(/ no new claims to deallocate.*? for scheduling\./, ' …')
    .replaceAll('|', '\\|')
    .slice(0, 200);
}

describe('what a Ray object says about a mistake', () => {
  let ray: LocalRay;

  beforeAll(async () => {
    ray = await startLocalRay({ args: ['--feature-gates', 'RayCronJob=false'] });
    for (const manifest of WORKING) await create(ray, manifest);
    await ray.client.create(resources.rayServices, SERVICE);
    await untilObject(ray, resources.rayServices, 'typo-in-place', ({ status }) => status?.serviceStatus === 'Running');
    for (const { manifest } of SITUATIONS) if (manifest !== undefined) await create(ray, manifest);
    const ref = { namespace: NAMESPACE, name: 'typo-in-place' };
    await ray.client.patch(resources.rayServices, ref, { type: 'merge', body: { spec: { serveConfigV2: TYPO } } });
  });
  afterAll(() => endLocalRay(ray));

  /** The cells of the table that kubectl prints. */
  async function shown({ kind, name }: Situation): Promise<Shown> {
    const path = `/apis/ray.io/v1/namespaces/${NAMESPACE}/${TYPES[kind].plural}/${name}`;
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await ray.transport.send({ method: 'GET', path, headers: { accept } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const table = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const cell = (column: string) => {
      const index = table.columnDefinitions.findIndex((each: { name: string }) => each.name === column);
      return String(table.rows[0]?.cells[index] ?? '');
    };
    const { items } = await ray.client.list<EventObject>(resources.events, { namespace: NAMESPACE });
    const events = items.filter(({ regarding, type }) => regarding?.name === name && type === 'Warning');
    return {
      reason: cell('reason'),
      message: cell('message'),
      events: events.map(({ reason = '', note = '' }) => `${reason}: ${note}`),
    };
  }

  const rows: string[] = [];

  it.each(SITUATIONS)('$kind: $situation', async (each) => {
    const { name, kind, situation, event } = each;
    const found = await until(
      situation,
      () => shown(each),
      ({ message, events }) =>
        message.includes(each.message) && (event === '' || events.some((text) => text.startsWith(event))),
    );
    expect(found.reason).toBe(each.reason ?? '');
    const told = found.events.find((text) => event !== '' && text.startsWith(event)) ?? '';
    expect(found.events.filter((text) => event !== '' && text === told)).toHaveLength(told === '' ? 0 : 1);
    const message = found.message.split('\n').find((line) => line.includes(each.message)) ?? '';
    const cells = [situation, kind, found.reason, masked(message, name), told.split(':')[0]];
    rows.push(`| ${cells.join(' | ')} |`);
  });

  it('is in the documentation', () => {
    if (process.env['MANTA_WRITE_DOCS'] !== undefined) {
      const page = readFileSync(PAGE, 'utf8').split('| Situation')[0] ?? '';
      const header = '| Situation | Object | REASON | MESSAGE | Warning event |\n| --- | --- | --- | --- | --- |';
      writeFileSync(PAGE, `${page}${header}\n${rows.join('\n')}\n`);
    }
    const page = readFileSync(PAGE, 'utf8');
    for (const { situation, message } of SITUATIONS) {
      expect(page).toContain(`| ${situation} |`);
      expect(page).toContain(message);
    }
  });
});
