import type { KubeObject, RayJob } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { tenantTests } from './support/tenant.ts';

const tenant = tenantTests();

/** Each is refused for another reason, and each holds a secret. */
const UNREADABLE = {
  'a mapping that is not closed': 'env_vars: {API_KEY: hunter2',
  'an alias that does not exist': 'env_vars: {API_KEY: *hunter2}',
  'a key that is null': 'env_vars: {null: hunter2}',
  'a key that is a mapping': '{hunter2: a}: b',
  'a text': 'API_KEY=hunter2',
  'a list': '- hunter2',
};

describe('a RayJob whose runtimeEnvYAML cannot be read', () => {
  it.each(Object.entries(UNREADABLE))('quotes none of it in its events and status: %s', async (_, runtimeEnvYAML) => {
    const { admin, namespace, create, get, until } = tenant();
    const spec = { entrypoint: 'python app.py', rayClusterSpec: rayClusterSpec(), runtimeEnvYAML };
    await create<RayJob>(resources.rayJobs, { metadata: { name: 'job' }, spec });
    const { status } = await until('the job to be refused', async () => {
      const job = await get<RayJob>(resources.rayJobs, 'job');
      return job.status?.jobDeploymentStatus === 'ValidationFailed' ? job : undefined;
    });
    const events = await until('the event', async () => {
      const { items } = await admin.list<KubeObject>(resources.events, { namespace });
      return items.length > 0 ? items : undefined;
    });
    expect(status?.message).toMatch(/^failed to unmarshal RuntimeEnvYAML: /);
    expect(JSON.stringify([status, events])).not.toContain('hunter2');
  });
});
