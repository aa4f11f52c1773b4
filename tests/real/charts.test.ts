import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { clusterRole, PROFILES } from '@manta/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { rulesTemplate } from '../../tools/ship/charts/rules-template.ts';
import { provideHelm } from '../../tools/fetch/helm/provide.ts';
import { installPrometheusCrds } from '../support/published-crds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { CLUSTER_VALUES } from './chart-cluster-values.ts';
import { CHART_FLAGS, KNOWN_VALUES, pathsIn } from './chart-surface.ts';
import { OPERATOR_VALUES, WRONG_VALUES } from './chart-values.ts';
import { installCrds } from './ray-api.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'manta-charts-'));
const plane = sharedControlPlane();
const execute = promisify(execFile);
let helm = '';

/** An object as a template makes it; tests look wherever they like. */
// oxlint-disable-next-line typescript/no-explicit-any -- rendered objects are read freely and asserted on
type Rendered = any;

beforeAll(async () => {
  helm = await provideHelm();
  await installCrds(plane);
  await installPrometheusCrds(plane);
  await plane.request('POST', '/api/v1/namespaces', { metadata: { name: 'monitoring' } });
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function render(chart: string, values: object = {}, release = 'kuberay-operator'): Promise<readonly Rendered[]> {
  const file = join(folder, `values-${Math.random()}.yaml`);
  writeFileSync(file, stringify(values));
  const args = [
    'template',
    release,
    join(root, 'charts', chart),
    '--namespace',
    'default',
    '--kube-version',
    '1.36.0',
    '--values',
    file,
  ];
  const { stdout } = await execute(helm, args, { maxBuffer: 1 << 26 });
  return parseAllDocuments(stdout).flatMap((document) => (document.toJS() === null ? [] : [document.toJS()]));
}

/** Why the server refuses an object, in a dry run; undefined where it takes it. */
async function refusal(object: Rendered): Promise<string | undefined> {
  // Kinds of others, which are not installed here.
  if (['Certificate', 'Issuer'].includes(object.kind)) return undefined;
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion];
  const plural = `${object.kind.toLowerCase()}s`;
  const place = object.metadata.namespace === undefined ? '' : `namespaces/${object.metadata.namespace}/`;
  const path = `${group === '' ? `/api/${version}` : `/apis/${group}/${version}`}/${place}${plural}/${object.metadata.name}`;
  const query = 'fieldManager=charts&force=true&dryRun=All&fieldValidation=Strict';
  const answer = await plane.request('PATCH', `${path}?${query}`, object, {
    'content-type': 'application/apply-patch+yaml',
  });
  return answer.status < 300 ? undefined : `${object.kind}: ${answer.text.slice(0, 500)}`;
}

const find = (objects: readonly Rendered[], kind: string, name?: string): Rendered =>
  objects.find((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
/** The operator's container. */
const containerOf = (objects: readonly Rendered[]) =>
  objects.find(({ kind, metadata }) => kind === 'Deployment' && !metadata.name.endsWith('-console')).spec.template.spec
    .containers[0];

describe('the operator chart', () => {
  it.each(Object.entries(OPERATOR_VALUES))(
    '%s: does what the value says, and the API server takes every object',
    async (_, example) => {
      const objects = await render('kuberay-operator', example.values);
      example.check({ objects, find: (kind, name) => find(objects, kind, name), container: containerOf(objects) });
      const refusals = await Promise.all(objects.map(refusal));
      expect(refusals.filter((each) => each !== undefined)).toEqual([]);
    },
  );

  it('makes these objects by default', async () => {
    const objects = await render('kuberay-operator');
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'ClusterRole kuberay-operator',
      'ClusterRole raycronjob-editor-role',
      'ClusterRole raycronjob-viewer-role',
      'ClusterRole rayjob-editor-role',
      'ClusterRole rayjob-viewer-role',
      'ClusterRole rayservice-editor-role',
      'ClusterRole rayservice-viewer-role',
      'ClusterRoleBinding kuberay-operator',
      'Deployment kuberay-operator',
      'Role kuberay-operator-leader-election',
      'RoleBinding kuberay-operator-leader-election',
      'Service kuberay-operator',
      'ServiceAccount kuberay-operator',
    ]);
  });

  it('has an example for every value that there is', () => {
    const given = new Set(Object.values(OPERATOR_VALUES).flatMap(({ values }) => pathsIn(values)));
    const wanted = KNOWN_VALUES.filter(
      (path) => ![...given].some((each) => each === path || each.startsWith(`${path}.`)),
    );
    expect(wanted).toEqual([]);
    expect(Object.keys(OPERATOR_VALUES).length).toBeGreaterThanOrEqual(20);
  });

  it('knows every value of its own values.yaml', () => {
    const own = parse(readFileSync(join(root, 'charts/kuberay-operator/values.yaml'), 'utf8'));
    const unknown = pathsIn(own).filter(
      (path) => !KNOWN_VALUES.some((each) => path === each || path.startsWith(`${each}.`)),
    );
    expect(unknown).toEqual([]);
  });

  it('sets, over all examples, the flags that the operator of KubeRay is started with, and no other', async () => {
    const flags = new Set<string>();
    for (const { values } of Object.values(OPERATOR_VALUES))
      for (const arg of containerOf(await render('kuberay-operator', values)).args)
        if (arg.startsWith('--')) flags.add(arg.split('=')[0]);
    expect([...flags].toSorted()).toEqual(CHART_FLAGS);
  });

  it('grants exactly what the operator says it needs, whatever the options', async () => {
    for (const profile of PROFILES.filter((each) => each !== 'base')) {
      const objects = await render('kuberay-operator', { manta: { profiles: [profile] } });
      expect(find(objects, 'ClusterRole', 'kuberay-operator').rules).toEqual(clusterRole([profile]).rules);
    }
    expect(readFileSync(join(root, 'charts/kuberay-operator/templates/_rules.tpl'), 'utf8')).toBe(rulesTemplate());
  });

  it.each(Object.entries(WRONG_VALUES))('%s is an error that names the value', async (_, { values, says }) => {
    await expect(render('kuberay-operator', values)).rejects.toThrow(says);
  });
});

describe('the cluster chart', () => {
  it.each(Object.entries(CLUSTER_VALUES))(
    '%s: does what the value says, and the API server takes the cluster',
    async (_, example) => {
      const objects = await render('ray-cluster', example.values, 'raycluster');
      expect(objects).toHaveLength(1);
      example.check(objects[0]);
      expect(await refusal(objects[0])).toBeUndefined();
    },
  );
});
