import { describe, expect, it } from 'vitest';
import { plainPath, useOf } from './allowed-paths.ts';

describe('useOf', () => {
  it.each([
    '/',
    '/index.html',
    '/static/js/main.1234.js',
    '/nodes?view=summary',
    '/api/jobs/',
    '/api/jobs/train-x7k2p/logs',
    '/api/jobs/train-x7k2p/logs/tail',
    '/api/v0/actors?limit=10',
    '/api/v0/logs/file?node_id=a&filename=raylet.out',
    '/api/serve/applications/',
    '/logical/actors/abc',
  ])('lets a viewer read %s', (target) => {
    expect(useOf(plainPath(target) ?? '')).toBe('view');
  });

  it.each(['/worker/traceback?pid=1', '/worker/gpu_profile', '/task/cpu_profile', '/memory_profile'])(
    'knows the profiler %s',
    (target) => {
      expect(useOf(plainPath(target) ?? '')).toBe('profile');
    },
  );

  it.each(['/api/actors/kill', '/api/actors/%6bill', '/api/v0/delay/5', '/api/packages/gcs/x.zip', '/unknown'])(
    'refuses %s',
    (target) => {
      expect(useOf(plainPath(target) ?? '')).toBe('refused');
    },
  );
});

describe('plainPath', () => {
  it.each([
    '/static/../api/actors/kill',
    '/static/%2e%2e/api/actors/kill',
    '/static/..%2fapi/x',
    '/api/jobs/a%252fb',
    '//evil.example/',
    'http://evil.example/',
    '/api/jobs/%00',
    '/%zz',
    '/static/a\\b',
  ])('has no reading of %s', (target) => {
    expect(plainPath(target)).toBeUndefined();
  });
});
