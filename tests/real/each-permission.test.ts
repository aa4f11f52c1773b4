import {
  clusterRole,
  describePermission,
  type Permission,
  permissionsOf,
  ACCESS_RULES,
  runOperator,
} from '@manta/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { installCrds } from './ray-api.ts';

/** What an operator without one permission was like. */
interface Story {
  /** `/readyz?verbose`, once it says something of permissions, or at the end of its time. */
  readonly page: string;
  readonly seconds: number;
  /** The exit status after it was told to stop. */
  readonly status: number;
}

const plane = sharedControlPlane();
const AT_ONCE = 3;
const TOLD_WITHIN_MS = 10_000;
/** Nothing here needs these: no OpenShift, no cert-manager. */
const NOT_NEEDED_HERE: readonly string[] = ['OpenShift routes', 'mTLS'];
const FLAGS = [
  '--enable-metrics=true',
  '--use-kubernetes-proxy=true',
  '--feature-gates=GCSFaultToleranceEmbeddedStorage=true,RayClusterNetworkPolicy=true,RayServiceIncrementalUpgrade=true,RayCronJob=true',
  '--metrics-addr=0',
  '--leader-election-namespace=default',
  '--zap-log-level=panic',
];
const PERMISSIONS = permissionsOf(ACCESS_RULES.filter(({ profile }) => profile === 'base'));
const stories = new Map<string, Story>();

beforeAll(async () => {
  await installCrds(plane);
  const left = PERMISSIONS.map((permission, i) => ({ permission, user: `lacks-one-${i}` }));
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      stories.set(describePermission(next.permission), await live(next.permission, next.user));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, 600_000);
afterAll(() => stories.clear());

/** Everything that the role grants, one permission left out. */
function rulesWithout({ verb, group, resource, subresource }: Permission): readonly object[] {
  const path = subresource === undefined ? resource : `${resource}/${subresource}`;
  const rules = clusterRole([]).rules.flatMap((rule) =>
    rule.resources.map((each) => ({
      ...rule,
      resources: [each],
      verbs: rule.verbs.filter((other) => !(rule.apiGroups.includes(group) && each === path && other === verb)),
    })),
  );
  // A rule without verbs is none.
  return rules.filter(({ verbs }) => verbs.length > 0);
}

/** The server learns of a binding a moment after it has been written. */
async function untilBound(user: string, { resource }: Permission): Promise<void> {
  const [group, plural] = resource === 'rayclusters' ? ['', 'pods'] : ['ray.io', 'rayclusters'];
  const spec = { user, resourceAttributes: { verb: 'list', group, resource: plural } };
  for (let isBound = false; !isBound; ) {
    const answer = await plane.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    isBound = JSON.stringify(answer).includes('"allowed":true');
  }
}

async function live(lack: Permission, user: string): Promise<Story> {
  const RBAC = '/apis/rbac.authorization.k8s.io/v1';
  await plane.request('POST', `${RBAC}/clusterroles`, { metadata: { name: user }, rules: rulesWithout(lack) });
  await plane.request('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  await untilBound(user, lack);
  const port = await freePort();
  const stop = new AbortController();
  const started = performance.now();
  const flags = [
    ...FLAGS,
    `--kubeconfig=${plane.user({ name: user }).kubeconfig.path}`,
    `--health-probe-bind-address=127.0.0.1:${port}`,
  ];
  const running = runOperator(flags, '0.0.0', stop.signal);
  const isNeeded = !NOT_NEEDED_HERE.includes(lack.neededFor);
  let page = '';
  while (performance.now() - started < (isNeeded ? TOLD_WITHIN_MS : 1_500) && !page.includes('missing: ')) {
    await new Promise((resolve) => void setTimeout(resolve, 50));
    page = await fetch(`http://127.0.0.1:${port}/readyz?verbose`).then(
      (answer) => answer.text(),
      () => '',
    );
  }
  const seconds = (performance.now() - started) / 1000;
  stop.abort();
  const status = await running;
  await plane.request('DELETE', `${RBAC}/clusterrolebindings/${user}`);
  await plane.request('DELETE', `${RBAC}/clusterroles/${user}`);
  return { page, seconds, status };
}

const missingIn = (page: string) => /missing: (.*?)(?:$| \(.*\)$)/m.exec(page)?.[1];
const needed = PERMISSIONS.filter(({ neededFor }) => !NOT_NEEDED_HERE.includes(neededFor));

describe('an operator whose role lacks one verb', () => {
  it('is tried for every verb of the role', () => {
    expect(stories.size).toBe(new Set(PERMISSIONS.map(describePermission)).size);
    expect(stories.size).toBeGreaterThan(100);
  });

  it('stays up and stops in good order', () => {
    expect([...stories].filter(([, { status, page }]) => status !== 0 || page === '').map(([name]) => name)).toEqual(
      [],
    );
  });

  it('names the verb within ten seconds, and no other', () => {
    const wrong = needed.map(describePermission).flatMap((name) => {
      const told = missingIn(stories.get(name)?.page ?? '');
      const expected = name.replace(/ in default$/, '');
      return told?.replace(/ in default$/, '') === expected ? [] : [`${name}: ${told}`];
    });
    expect(wrong).toEqual([]);
  });

  it('is not bothered by what nothing here needs', () => {
    const idle = PERMISSIONS.filter(({ neededFor }) => NOT_NEEDED_HERE.includes(neededFor)).map(describePermission);
    expect(idle.filter((name) => missingIn(stories.get(name)?.page ?? '') !== undefined)).toEqual([]);
  });
});
