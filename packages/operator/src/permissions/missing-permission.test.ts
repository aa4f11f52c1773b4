import { ApiError } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { missingPermission } from './missing-permission.ts';

const refusal = (message: string, code = 403) => new ApiError({ method: 'POST', path: '/' }, code, message);

describe('the permission that an answer says is missing', () => {
  it.each<[string, unknown, string | undefined]>([
    [
      'is named with its rule',
      refusal('pods is forbidden: User "u" cannot create resource "pods" in API group "" in the namespace "ml"'),
      'create pods in ml (rule: apiGroups [""], resources ["pods"], verbs ["create"])',
    ],
    [
      'is named with its subresource, also for the whole cluster',
      refusal(
        'x "a" is forbidden: User "u" cannot patch resource "rayclusters/status" in API group "ray.io" at the cluster scope',
      ),
      'patch rayclusters.ray.io/status (rule: apiGroups ["ray.io"], resources ["rayclusters/status"], verbs ["patch"])',
    ],
    [
      'may be one that cannot be granted further',
      refusal(
        'roles "a" is forbidden: user "u" is attempting to grant RBAC permissions not currently held:\n{Resources:[pods]}',
      ),
      'grant what it does not hold itself: {Resources:[pods]}',
    ],
    [
      'is none where a quota refuses',
      refusal('pods "a" is forbidden: exceeded quota: one, requested: pods=1'),
      undefined,
    ],
    ['is none for other refusals', refusal('cannot create resource "pods" in API group ""', 422), undefined],
    ['is none for other errors', new Error('cannot create resource "pods" in API group ""'), undefined],
  ])('%s', (_, error, expected) => {
    expect(missingPermission(error)).toBe(expected);
  });
});
