import { createWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { configMap, job, pod, service } from '../support/objects.ts';
import { configMaps, core, grouped, jobs, pods, services } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

interface Table {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: Fields;
  readonly columnDefinitions: readonly { name: string; type: string; format: string; priority: number }[];
  readonly rows: readonly { cells: readonly unknown[]; object: { kind: string; metadata: { name: string } } }[];
}

async function tableOf(t: Target, path: string): Promise<Table> {
  const answer = await t.request('GET', path, undefined, { accept });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body as Table;
}

/** Columns as `name` or, where only `-o wide` shows them, `(name)`. */
const columns = (table: Table) =>
  table.columnDefinitions.map(({ name, priority }) => (priority === 0 ? name : `(${name})`));
const cellsOf = (table: Table, name: string) => table.rows.find((row) => row.object.metadata.name === name)?.cells;
const age: unknown = expect.stringMatching(/^(\d+s|<unknown>|<invalid>)$/);

type Shown = readonly [
  path: (namespace: string) => string,
  object: Fields,
  columns: readonly string[],
  cells: readonly unknown[],
];

const kinds: Readonly<Record<string, Shown>> = {
  'config maps': [configMaps, configMap('x', { a: '1', b: '2' }), ['Name', 'Data', 'Age'], ['x', 2, age]],
  secrets: [
    (namespace) => core(namespace, 'secrets'),
    { metadata: { name: 'x' }, data: { a: '' } },
    ['Name', 'Type', 'Data', 'Age'],
    ['x', 'Opaque', 1, age],
  ],
  pods: [
    pods,
    pod('x', { nodeName: 'n1' }),
    ['Name', 'Ready', 'Status', 'Restarts', 'Age', '(IP)', '(Node)', '(Nominated Node)', '(Readiness Gates)'],
    ['x', '0/1', 'Pending', '0', age, '<none>', 'n1', '<none>', '<none>'],
  ],
  services: [
    services,
    service('x', { clusterIP: 'None', selector: { a: 'b' } }),
    ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', '(Selector)'],
    ['x', 'ClusterIP', 'None', '<none>', '80/TCP', age, 'a=b'],
  ],
  jobs: [
    jobs,
    job('x', { suspend: true, completions: 2 }),
    ['Name', 'Status', 'Completions', 'Duration', 'Age', '(Containers)', '(Images)', '(Selector)'],
    [
      'x',
      expect.stringMatching(/^(Running|Suspended)$/),
      '0/2',
      '',
      age,
      'main',
      'registry.example/app:1',
      expect.stringContaining('controller-uid='),
    ],
  ],
  leases: [
    (namespace) => grouped('coordination.k8s.io/v1', namespace, 'leases'),
    { metadata: { name: 'x' }, spec: { holderIdentity: 'me' } },
    ['Name', 'Holder', 'Age'],
    ['x', 'me', age],
  ],
  ingresses: [
    (namespace) => grouped('networking.k8s.io/v1', namespace, 'ingresses'),
    {
      metadata: { name: 'x' },
      spec: { ingressClassName: 'c', tls: [{ hosts: ['a.example.com'] }], rules: [{ host: 'a.example.com' }] },
    },
    ['Name', 'Class', 'Hosts', 'Address', 'Ports', 'Age'],
    ['x', 'c', 'a.example.com', '', '80, 443', age],
  ],
  'disruption budgets': [
    (namespace) => grouped('policy/v1', namespace, 'poddisruptionbudgets'),
    { metadata: { name: 'x' }, spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } },
    ['Name', 'Min Available', 'Max Unavailable', 'Allowed Disruptions', 'Age'],
    ['x', '1', 'N/A', 0, age],
  ],
  'service accounts': [
    (namespace) => core(namespace, 'serviceaccounts'),
    { metadata: { name: 'x' } },
    ['Name', 'Age'],
    ['x', age],
  ],
  'volume claims': [
    (namespace) => core(namespace, 'persistentvolumeclaims'),
    {
      metadata: { name: 'x' },
      spec: { storageClassName: 's', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    [
      'Name',
      'Status',
      'Volume',
      'Capacity',
      'Access Modes',
      'StorageClass',
      'VolumeAttributesClass',
      'Age',
      '(VolumeMode)',
    ],
    ['x', 'Pending', '', '', '', 's', '<unset>', age, 'Filesystem'],
  ],
  roles: [
    (namespace) => grouped('rbac.authorization.k8s.io/v1', namespace, 'roles'),
    { metadata: { name: 'x' } },
    ['Name', 'Created At'],
    ['x', expect.stringMatching(/Z$/)],
  ],
  events: [
    (namespace) => core(namespace, 'events'),
    {
      metadata: { name: 'x' },
      involvedObject: { kind: 'Pod', name: 'p' },
      reason: 'R',
      message: 'M',
      type: 'Normal',
      count: 3,
    },
    [
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      '(Subobject)',
      '(Source)',
      'Message',
      '(First Seen)',
      '(Count)',
      '(Name)',
    ],
    ['<unknown>', 'Normal', 'R', 'pod/p', '', '', 'M', '<unknown>', 3, 'x'],
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(kinds).map(
    ([what, [path, object, names, cells]]): Case => ({
      title: `${what} are shown with the columns of kubectl`,
      run: async (t) => {
        const namespace = await t.namespace();
        const involved = { ...(object['involvedObject'] as Fields | undefined), namespace };
        await t.must(
          'POST',
          path(namespace),
          'involvedObject' in object ? { ...object, involvedObject: involved } : object,
        );
        const table = await tableOf(t, path(namespace));
        expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
        expect(columns(table)).toEqual(names);
        expect(cellsOf(table, 'x')).toEqual(cells);
      },
    }),
  ),
  {
    title: 'rows carry metadata by default, the object or nothing on request',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const path = configMaps(namespace, 'x');
      expect((await tableOf(t, path)).rows[0]?.object).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
      });
      expect((await tableOf(t, `${path}?includeObject=Object`)).rows[0]?.object).toMatchObject({ kind: 'ConfigMap' });
      expect((await tableOf(t, `${path}?includeObject=None`)).rows[0]?.object).toBeNull();
    },
  },
  {
    title: 'an empty table has columns and no rows',
    run: async (t) => {
      const table = await tableOf(t, core(await t.namespace(), 'secrets'));
      expect(columns(table)).toEqual(['Name', 'Type', 'Data', 'Age']);
      expect(table.rows).toEqual([]);
    },
  },
  {
    title: 'a table of a page has its token',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      for (const name of ['a', 'b']) await t.must('POST', path, { metadata: { name } });
      const table = await tableOf(t, `${path}?limit=1`);
      expect(table.metadata).toMatchObject({ continue: expect.stringMatching(/./), remainingItemCount: 1 });
    },
  },
  {
    title: 'the state of a pod is told in one word',
    run: async (t) => {
      const namespace = await t.namespace();
      const waiting = (reason: string) => [
        { name: 'main', image: 'x', imageID: '', ready: false, restartCount: 2, state: { waiting: { reason } } },
      ];
      const states: Readonly<Record<string, readonly [Fields, string]>> = {
        running: [
          {
            phase: 'Running',
            containerStatuses: [
              { name: 'main', image: 'x', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
            ],
          },
          '1/1 Running 0',
        ],
        crashing: [{ phase: 'Running', containerStatuses: waiting('CrashLoopBackOff') }, '0/1 CrashLoopBackOff 2'],
        pulling: [{ phase: 'Pending', containerStatuses: waiting('ImagePullBackOff') }, '0/1 ImagePullBackOff 2'],
        failed: [
          {
            phase: 'Failed',
            containerStatuses: [
              {
                name: 'main',
                image: 'x',
                imageID: '',
                ready: false,
                restartCount: 0,
                state: { terminated: { exitCode: 1, reason: 'Error' } },
              },
            ],
          },
          '0/1 Error 0',
        ],
        evicted: [{ phase: 'Failed', reason: 'Evicted' }, '0/1 Evicted 0'],
      };
      for (const [name, [status]] of Object.entries(states)) {
        const made = await t.must('POST', pods(namespace), pod(name, { nodeName: 'n' }));
        await t.must('PUT', `${pods(namespace, name)}/status`, { ...made, status });
      }
      const table = await tableOf(t, pods(namespace));
      for (const [name, [, shown]] of Object.entries(states))
        expect(`${name}: ${cellsOf(table, name)?.slice(1, 4).join(' ')}`).toBe(`${name}: ${shown}`);
    },
  },
  {
    title: 'a pod that is being deleted is Terminating',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('x', { nodeName: 'n' }));
      await t.must('DELETE', pods(namespace, 'x'));
      expect(cellsOf(await tableOf(t, pods(namespace)), 'x')?.[2]).toBe('Terminating');
    },
  },
  {
    title: 'a custom resource shows name and age where it says nothing',
    run: async (t) => {
      const widgets = await createWidgets(t);
      const namespace = await t.namespace();
      await t.must('POST', widgets.path(namespace), widgets.object('x'));
      const table = await tableOf(t, widgets.path(namespace));
      expect(columns(table)).toEqual(['Name', 'Age']);
      expect(cellsOf(table, 'x')).toEqual(['x', age]);
    },
  },
  {
    title: 'a custom resource shows its own columns, and nothing for what is absent',
    run: async (t) => {
      const widgets = await createWidgets(t, {
        version: {
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
            { name: 'First', type: 'string', jsonPath: '.spec.list[0].name' },
            { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
          ],
        },
      });
      const namespace = await t.namespace();
      const spec = { size: 5, color: 'red', list: [{ name: 'one' }, { name: 'two' }], on: true };
      const status = {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      };
      await t.must('POST', widgets.path(namespace), widgets.object('full', spec, { status }));
      await t.must('POST', widgets.path(namespace), widgets.object('poor'));
      const table = await tableOf(t, widgets.path(namespace));
      expect(columns(table)).toEqual(['Name', 'Size', '(Color)', 'First', 'Ready', 'Since', 'On']);
      expect(cellsOf(table, 'full')).toEqual(['full', 5, 'red', 'one', 'True', age, true]);
      expect(cellsOf(table, 'poor')).toEqual(['poor', null, null, null, null, age, null]);
    },
  },
];
