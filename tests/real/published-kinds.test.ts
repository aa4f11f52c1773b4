import type { KubeObject } from '@manta/api';
import { startTestEngine, type TestEngine } from '@manta/apiserver/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLISHED } from '../../tools/fetch/kube/published.ts';
import { type ApiRequester, createRequester } from '../support/api-request.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type DefinitionServer, installPublished } from '../support/published-crds.ts';
import { OTHERS_OBJECTS } from './published-objects.ts';
import { surprise } from './ray-api.ts';

/** Its own plane: with these kinds, operators of other files would take it for OpenShift. */
let plane: ControlPlane;
let engine: TestEngine;
let onEngine: ApiRequester;

const GATEWAY = 'gateway.networking.k8s.io';
const KINDS = [
  { source: PUBLISHED.volcano, files: ['scheduling.volcano.sh_podgroups.yaml'] },
  { source: PUBLISHED.schedulerPlugins, files: ['scheduling.x-k8s.io_podgroups.yaml'] },
  { source: PUBLISHED.gatewayApi, files: ['gateways', 'httproutes'].map((plural) => `${GATEWAY}_${plural}.yaml`) },
  { source: PUBLISHED.certManager, files: ['cert-manager.io_issuers.yaml', 'cert-manager.io_certificates.yaml'] },
  { source: PUBLISHED.openShiftRoute, files: ['routes-Default.crd.yaml'] },
];

async function installAll(server: DefinitionServer): Promise<void> {
  for (const { source, files } of KINDS) await installPublished(server, source, files);
}

beforeAll(async () => {
  engine = await startTestEngine();
  onEngine = createRequester({ url: engine.url, ca: engine.ca.cert, ...engine.admin });
  plane = await startControlPlane();
  await installAll(plane);
  await installAll({ request: onEngine });
}, 600_000);
afterAll(async () => {
  onEngine.close();
  await engine.stop();
  await plane.stop();
});

const ask = (request: ApiRequester, object: KubeObject) => {
  const plural = `${object.kind?.toLowerCase()}s`;
  const path = `/apis/${object.apiVersion}/namespaces/${object.metadata?.namespace}/${plural}`;
  return request('POST', `${path}?dryRun=All&fieldValidation=Strict`, object);
};

describe.each(Object.entries(OTHERS_OBJECTS))('%s', (_, { object, isLeftAlone }) => {
  it('is one that its published definition accepts, to the last field, and what becomes of it is left alone', async () => {
    const answer = await ask(plane.request, object);
    expect(surprise(answer, 201)).toBeUndefined();
    expect(isLeftAlone(answer.body as KubeObject)).toBe(true);
  });

  it('becomes the same on the embedded server', async () => {
    const [real, ours] = await Promise.all([ask(plane.request, object), ask(onEngine, object)]);
    const told = ({ status: code, body }: typeof real) => {
      const { metadata, ...rest } = body as KubeObject;
      return { ...rest, code, labels: metadata?.labels };
    };
    expect(told(ours)).toEqual(told(real));
  });
});

it('a field that is not in the definition would be noticed', async () => {
  const { object } = OTHERS_OBJECTS["Volcano's PodGroup"]!;
  const answer = await ask(plane.request, { ...object, spec: { minMembers: 3 } } as KubeObject);
  expect(answer.text).toContain('unknown field \\"spec.minMembers\\"');
});
