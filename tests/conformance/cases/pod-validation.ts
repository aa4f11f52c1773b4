import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { pod } from '../support/objects.ts';
import { pods } from '../support/paths.ts';
import type { Case, Fields } from '../support/target.ts';

const main = { name: 'main', image: 'x' };
const one = (container: Fields): Fields => ({ containers: [{ ...main, ...container }] });
const at = 'spec.containers[0]';

const refusals: Readonly<Record<string, readonly [spec: Fields, causes: readonly string[]]>> = {
  'no containers': [{ containers: [] }, ['spec.containers: FieldValueRequired: Required value']],
  'a container without a name': [{ containers: [{ image: 'x' }] }, [`${at}.name: FieldValueRequired: Required value`]],
  'a container without an image': [
    { containers: [{ name: 'main' }] },
    [`${at}.image: FieldValueRequired: Required value`],
  ],
  'two containers of one name': [
    { containers: [main, main] },
    ['spec.containers[1].name: FieldValueDuplicate: Duplicate value: "main"'],
  ],
  'a pull policy that nobody knows': [
    one({ imagePullPolicy: 'Sometimes' }),
    [
      `${at}.imagePullPolicy: FieldValueNotSupported: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
    ],
  ],
  'a restart policy that nobody knows': [
    { ...one({}), restartPolicy: 'Maybe' },
    [
      'spec.restartPolicy: FieldValueNotSupported: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
    ],
  ],
  'a port out of range': [
    one({ ports: [{ containerPort: 70_000 }] }),
    [`${at}.ports[0].containerPort: FieldValueInvalid: Invalid value: 70000: must be between 1 and 65535, inclusive`],
  ],
  'a port without a number': [
    one({ ports: [{ name: 'http' }] }),
    [`${at}.ports[0].containerPort: FieldValueRequired: Required value`],
  ],
  'a protocol that nobody knows': [
    one({ ports: [{ containerPort: 80, protocol: 'ICMP' }] }),
    [
      `${at}.ports[0].protocol: FieldValueNotSupported: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`,
    ],
  ],
  'two ports of one name': [
    one({
      ports: [
        { name: 'a', containerPort: 80 },
        { name: 'a', containerPort: 81 },
      ],
    }),
    [`${at}.ports[1].name: FieldValueDuplicate: Duplicate value: "a"`],
  ],
  'an environment variable with an impossible name': [
    one({ env: [{ name: 'a=b', value: 'x' }] }),
    [
      `${at}.env[0].name: FieldValueInvalid: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
  ],
  'an environment variable without a name': [
    one({ env: [{ value: 'x' }] }),
    [`${at}.env[0].name: FieldValueRequired: Required value`],
  ],
  'an environment variable with two sources': [
    one({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    [`${at}.env[0].valueFrom: FieldValueInvalid: Invalid value: "": may not be specified when \`value\` is not empty`],
  ],
  'a field that variables cannot show': [
    one({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.image' } } }] }),
    [
      `${at}.env[0].valueFrom.fieldRef.fieldPath: FieldValueInvalid: Invalid value: "spec.image": error converting fieldPath: field label not supported: spec.image`,
    ],
  ],
  'a mount of a volume that is not there': [
    one({ volumeMounts: [{ name: 'none', mountPath: '/x' }] }),
    [`${at}.volumeMounts[0].name: FieldValueNotFound: Not found: "none"`],
  ],
  'two mounts in one place': [
    {
      ...one({
        volumeMounts: [
          { name: 'v', mountPath: '/x' },
          { name: 'v', mountPath: '/x' },
        ],
      }),
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    [`${at}.volumeMounts[1].mountPath: FieldValueInvalid: Invalid value: "/x": must be unique`],
  ],
  'two volumes of one name': [
    {
      ...one({}),
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
    },
    ['spec.volumes[1].name: FieldValueDuplicate: Duplicate value: "v"'],
  ],
  'a volume of two sorts': [
    { ...one({}), volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'x' } }] },
    ['spec.volumes[0].configMap: FieldValueForbidden: Forbidden: may not specify more than 1 volume type'],
  ],
  'a request above its limit': [
    one({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    [`${at}.resources.requests: FieldValueInvalid: Invalid value: "2": must be less than or equal to cpu limit of 1`],
  ],
  'a negative request': [
    one({ resources: { requests: { cpu: '-1' } } }),
    [`${at}.resources.requests[cpu]: FieldValueInvalid: Invalid value: "-1": must be greater than or equal to 0`],
  ],
  'an extended resource that is requested otherwise than it is limited': [
    one({ resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '2' } } }),
    [`${at}.resources.requests: FieldValueInvalid: Invalid value: "1": must be equal to example.com/gpu limit of 2`],
  ],
  'a probe without an action': [
    one({ livenessProbe: { periodSeconds: 5 } }),
    [`${at}.livenessProbe: FieldValueRequired: Required value: must specify a handler type`],
  ],
  'a liveness probe that needs two successes': [
    one({ livenessProbe: { exec: { command: ['x'] }, successThreshold: 2 } }),
    [`${at}.livenessProbe.successThreshold: FieldValueInvalid: Invalid value: 2: must be 1`],
  ],
  'a selector label that is impossible': [
    { ...one({}), nodeSelector: { 'a b': 'c' } },
    [
      "spec.nodeSelector: FieldValueInvalid: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  'a toleration of a key without one': [
    { ...one({}), tolerations: [{ operator: 'Equal', value: 'x' }] },
    [
      'spec.tolerations[0].operator: FieldValueInvalid: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  'a deadline of zero': [
    { ...one({}), activeDeadlineSeconds: 0 },
    ['spec.activeDeadlineSeconds: FieldValueInvalid: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
  ],
  'an init container of the name of a container': [
    { ...one({}), initContainers: [main] },
    ['spec.initContainers[0].name: FieldValueDuplicate: Duplicate value: "main"'],
  ],
  'an affinity without a topology': [
    {
      ...one({}),
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } },
    },
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: FieldValueRequired: Required value: can not be empty',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: FieldValueInvalid: Invalid value: "": name part must be non-empty',
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: FieldValueInvalid: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(refusals).map(
    ([what, [spec, causes]]): Case => ({
      title: `a pod with ${what} is refused`,
      run: async (t) => {
        const answer = await t.request(
          'POST',
          pods(await t.namespace()),
          pod('p', { automountServiceAccountToken: false, ...spec }),
        );
        expectRefusal(answer, { code: 422, reason: 'Invalid', details: { name: 'p', kind: 'Pod' } });
        expect(causesOf(answer)).toEqual(causes);
      },
    }),
  ),
  {
    title: 'a quantity that cannot be read is refused as a whole',
    run: async (t) => {
      const spec = one({ resources: { requests: { cpu: 'much' } } });
      expectRefusal(await t.request('POST', pods(await t.namespace()), pod('p', spec)), {
        code: 400,
        reason: 'BadRequest',
        message:
          /^Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '\^\(\[\+-\]\?\[0-9\.\]\+\)\(\[eEinumkKMGTP\]\*\[-\+\]\?\[0-9\]\*\)\$'$/,
      });
    },
  },
  {
    title: 'a pod of a priority class that does not exist is forbidden',
    run: async (t) =>
      expectRefusal(await t.request('POST', pods(await t.namespace()), pod('p', { priorityClassName: 'none' })), {
        code: 403,
        reason: 'Forbidden',
        message: 'pods "p" is forbidden: no PriorityClass with name none was found',
      }),
  },
  {
    title: 'a pod gets the priority of its class',
    run: async (t) => {
      const name = t.unique('class');
      await t.must('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
        metadata: { name },
        value: 77,
        preemptionPolicy: 'Never',
      });
      const namespace = await t.namespace();
      const made = await t.must('POST', pods(namespace), pod('p', { priorityClassName: name }));
      expect(made.spec).toMatchObject({ priority: 77, preemptionPolicy: 'Never', priorityClassName: name });
      await t.must('DELETE', `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`);
    },
  },
];
