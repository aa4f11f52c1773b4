import { describe, expect, it } from 'vitest';
import { proxiedService, refuseRoute } from './allowed-routes.ts';

const of = (target: string) => proxiedService(`/api/v1/namespaces/default/services/${target}/proxy/`);

describe('proxiedService', () => {
  it.each([
    ['head', 'head'],
    ['head:8265', 'head'],
    ['https:head:8265', 'head'],
    [':head:8265', 'head'],
    // Two parts are a name and a port: this is a port called `head` of a Service called `http`.
    ['http:head', 'http'],
  ])('reads %s like the API server', (target, service) => {
    expect(of(target)).toEqual({ namespace: 'default', service });
  });

  it.each(['ftp:head:80', 'a:b:c:d', 'head%20x', '', ':', 'UPPER'])('refuses %s', (target) => {
    expect([undefined, 'malformed']).toContain(of(target));
  });
});

describe('refuseRoute', () => {
  it('passes on no watch in the old form, whose end nobody would see to', () => {
    for (const path of ['/apis/ray.io/v1/watch/rayjobs', '/apis/ray.io/v1/watch/namespaces/a/rayjobs'])
      expect(refuseRoute('GET', path, 'page')).toMatchObject({ status: 404 });
    for (const path of ['/apis/ray.io/v1', '/apis/ray.io/v1/rayjobs', '/apis/ray.io/v1/namespaces/watch/rayjobs/watch'])
      expect(refuseRoute('GET', path, 'page')).toBeUndefined();
  });
});
