import { describe, expect, it } from 'vitest';
import { heldQuestion } from './held-question.ts';

const held = (target: string) => {
  const { pathname, searchParams } = new URL(target, 'http://console');
  return heldQuestion(pathname, searchParams);
};
const RAY = '/apis/ray.io/v1';
const CORE = '/api/v1/namespaces/a';

describe('heldQuestion()', () => {
  it.each([
    [`${RAY}/rayjobs?watch=true`, { group: 'ray.io', resource: 'rayjobs' }],
    [`${RAY}/namespaces/a/rayjobs?watch`, { group: 'ray.io', resource: 'rayjobs', namespace: 'a' }],
    [`${RAY}/namespaces/a/rayjobs?watch=TRUE`, { group: 'ray.io', namespace: 'a' }],
    [`${RAY}/namespaces/a/rayjobs?watch=yes&fieldSelector=metadata.name%3Dx`, { name: 'x' }],
    ['/apis/events.k8s.io/v1/namespaces/a/events?watch=1', { group: 'events.k8s.io', resource: 'events' }],
    [`${CORE}/pods?watch=true`, { group: '', resource: 'pods', namespace: 'a' }],
    [`${CORE}/configmaps?watch=true`, { group: '', resource: 'configmaps', namespace: 'a' }],
  ])('knows the watch %s', (target, question) => {
    expect(held(target)).toMatchObject({ verb: 'watch', ...question });
  });

  it.each(['true', '1', 'yes', ''])('knows a log that is followed with follow=%s', (value) => {
    expect(held(`${CORE}/pods/p/log?follow=${value}`)).toMatchObject({ subresource: 'log', namespace: 'a', name: 'p' });
  });

  it.each([
    `${RAY}/rayjobs`,
    `${RAY}/rayjobs?watch=false`,
    `${RAY}/rayjobs?watch=0`,
    `${CORE}/pods/p/log?follow=False`,
  ])('leaves the answer %s alone, which ends', (target) => {
    expect(held(target)).toBeUndefined();
  });
});
