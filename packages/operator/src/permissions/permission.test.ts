import { expect, it } from 'vitest';
import { describePermission, permissionsOf, summarizePermissions } from './permission.ts';
import { ACCESS_RULES } from './rules.ts';

it('describePermission() says it as kubectl users do', () => {
  expect(describePermission({ verb: 'patch', group: 'ray.io', resource: 'rayclusters', subresource: 'status' })).toBe(
    'patch rayclusters.ray.io/status',
  );
  expect(describePermission({ verb: 'create', group: '', resource: 'pods', namespace: 'ml' })).toBe(
    'create pods in ml',
  );
});

it('permissionsOf() spells out each verb on each resource once', () => {
  const all = permissionsOf(ACCESS_RULES).map(describePermission);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toContain('watch rayclusters.ray.io');
  expect(all).toContain('patch pods/resize');
});

it('summarizePermissions() puts the verbs of a resource together', () => {
  const missing = permissionsOf(
    ACCESS_RULES.filter((rule) => rule.neededFor === 'serve endpoints' || rule.resources.includes('pods/resize')),
  );
  expect(summarizePermissions(missing)).toBe(
    'patch pods/resize (autoscaler accounts); list, watch endpointslices.discovery.k8s.io (serve endpoints)',
  );
});
