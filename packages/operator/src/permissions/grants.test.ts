import { describe, expect, it } from 'vitest';
import { describePermission, type GrantedRule, isGranted, type Permission, permissionsOf } from './grants.ts';
import { ACCESS_RULES } from './rules.ts';

const patchStatus: Permission = {
  verb: 'patch',
  group: 'ray.io',
  resource: 'rayclusters/status',
  neededFor: 'ray.io resources',
};
const rule = (apiGroups: string[], resources: string[], verbs: string[]): GrantedRule => ({
  apiGroups,
  resources,
  verbs,
});

describe('isGranted()', () => {
  it.each<[string, GrantedRule, boolean]>([
    ['the exact rule', rule(['ray.io'], ['rayclusters/status'], ['patch']), true],
    ['every verb', rule(['ray.io'], ['rayclusters/status'], ['*']), true],
    ['every group', rule(['*'], ['rayclusters/status'], ['patch']), true],
    ['every resource', rule(['ray.io'], ['*'], ['patch']), true],
    ['the subresource of every resource', rule(['ray.io'], ['*/status'], ['patch']), true],
    ['the resource without its subresource', rule(['ray.io'], ['rayclusters'], ['patch']), false],
    ['another verb', rule(['ray.io'], ['rayclusters/status'], ['get']), false],
    ['another group', rule([''], ['rayclusters/status'], ['patch']), false],
    ['named objects only', { ...rule(['ray.io'], ['rayclusters/status'], ['patch']), resourceNames: ['mine'] }, false],
  ])('%s', (_, granted, expected) => {
    expect(isGranted(patchStatus, [granted])).toBe(expected);
  });
});

it('describePermission() says it as kubectl users do', () => {
  expect(describePermission(patchStatus)).toBe('patch rayclusters.ray.io/status');
  expect(describePermission({ verb: 'create', group: '', resource: 'pods', neededFor: 'pods' })).toBe('create pods');
});

it('permissionsOf() spells out each verb on each resource once', () => {
  const all = permissionsOf(ACCESS_RULES).map(describePermission);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toContain('watch rayclusters.ray.io');
  expect(all).toContain('patch pods/resize');
});
