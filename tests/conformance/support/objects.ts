import type { Fields } from './target.ts';

/** A ConfigMap. */
export function configMap(name: string, data: Readonly<Record<string, string>> = {}, metadata: Fields = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A pod with one container. */
export function pod(name: string, spec: Fields = {}, metadata: Fields = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }], ...spec },
  };
}

/** A service with one port. */
export function service(name: string, spec: Fields = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  };
}

/** A job that runs one pod. */
export function job(name: string, spec: Fields = {}) {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      },
      ...spec,
    },
  };
}

/** A reference that makes an object depend on an owner. */
export function ownedBy(
  owner: { readonly apiVersion: string; readonly kind: string; readonly metadata: { name: string; uid: string } },
  more: Fields = {},
) {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}

/** The content types of the four patches. */
export const patchType = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
  apply: { 'content-type': 'application/apply-patch+yaml' },
} as const;
