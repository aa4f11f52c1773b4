import { describe, expect, it } from 'vitest';
import { parsePath } from './request-path.ts';

const none = { namespace: '', name: '', subresource: '', rest: '', isWatch: false };

describe('a path', () => {
  it.each([
    ['/api/v1/pods', { group: '', version: 'v1', plural: 'pods' }],
    ['/api/v1/namespaces/a/pods/b', { group: '', version: 'v1', plural: 'pods', namespace: 'a', name: 'b' }],
    ['/api/v1/namespaces/a', { group: '', version: 'v1', plural: 'namespaces', name: 'a' }],
    [
      '/api/v1/namespaces/a/finalize',
      { group: '', version: 'v1', plural: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    [
      '/apis/ray.io/v1/namespaces/a/rayclusters/b/status',
      { group: 'ray.io', version: 'v1', plural: 'rayclusters', namespace: 'a', name: 'b', subresource: 'status' },
    ],
    [
      '/api/v1/namespaces/a/pods/b/proxy/c/d',
      { group: '', version: 'v1', plural: 'pods', namespace: 'a', name: 'b', subresource: 'proxy', rest: 'c/d' },
    ],
    [
      '/api/v1/namespaces/a/services/b/proxy/c%20d/%2Fe/',
      {
        group: '',
        version: 'v1',
        plural: 'services',
        namespace: 'a',
        name: 'b',
        subresource: 'proxy',
        rest: 'c%20d/%2Fe/',
      },
    ],
    ['/api/v1/watch/namespaces/a/pods', { group: '', version: 'v1', plural: 'pods', namespace: 'a', isWatch: true }],
    ['/api/v1/nodes/a%3Ab', { group: '', version: 'v1', plural: 'nodes', name: 'a:b' }],
  ])('%s names what it says', (path, expected) => {
    expect(parsePath(path)).toEqual({ ...none, ...expected });
  });

  it.each(['/', '/version', '/api', '/api/v1', '/apis/batch', '/apis/batch/v1'])('%s names no resource', (path) => {
    expect(parsePath(path)).toBeUndefined();
  });
});
