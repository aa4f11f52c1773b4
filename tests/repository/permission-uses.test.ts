import { ACCESS_RULES, type AccessRule, describePermission, permissionsOf, type Profile } from '@manta/operator';
import { describe, expect, it } from 'vitest';
import { gangPermissions } from '../support/gang-permissions.ts';
import { delegatedPermissions, usedPermissions } from '../support/permission-uses.ts';

/** What these write is decided when they plan, and not named in the code. */
const OF_SCHEDULERS = ['volcano', 'scheduler-plugins', 'kubernetes-was'] as const satisfies readonly Profile[];

const RULES = ACCESS_RULES.filter(({ profile }) => OF_SCHEDULERS.every((each) => each !== profile));
const used = usedPermissions();
const delegated = delegatedPermissions();

/** What is granted, and neither used by the code nor needed to pass it on. */
function idle(rules: readonly AccessRule[]): readonly string[] {
  return permissionsOf(rules)
    .map(describePermission)
    .filter((name) => !used.has(name) && !delegated.has(name));
}

describe('the operator', () => {
  it('is granted nothing that it neither uses nor passes on', () => {
    expect(idle(RULES)).toEqual([]);
  });

  it('uses nothing and passes nothing on that it is not granted', () => {
    const granted = new Set(permissionsOf(RULES).map(describePermission));
    expect([...used, ...delegated].filter((name) => !granted.has(name))).toEqual([]);
  });

  it.each<[string, Omit<AccessRule, 'profile' | 'neededFor'>]>([
    [
      'delete roles.rbac.authorization.k8s.io',
      { groups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['delete', 'list'] },
    ],
    ['update pods', { groups: [''], resources: ['pods'], verbs: ['create', 'update'] }],
    ['get rayjobs.ray.io/status', { groups: ['ray.io'], resources: ['rayjobs/status'], verbs: ['get', 'patch'] }],
    ['create configmaps', { groups: [''], resources: ['configmaps'], verbs: ['create'] }],
  ])('would be told of "%s" by name', (name, rule) => {
    expect(idle([...RULES, { profile: 'base', neededFor: 'pods', ...rule }])).toEqual([name]);
  });
});

describe.each(OF_SCHEDULERS)('with %s the operator', (name) => {
  it('is granted just what the objects of a gang take, from the first to the last', () => {
    const granted = permissionsOf(ACCESS_RULES.filter(({ profile }) => profile === name)).map(describePermission);
    expect(granted.toSorted()).toEqual([...gangPermissions(name)].toSorted());
  });
});

it.each(['yunikorn', 'kai-scheduler'] as const)('with %s the operator needs nothing more', (name) => {
  expect([...gangPermissions(name)]).toEqual([]);
});
