import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Fields, KubeObject } from './target.ts';

/** An object that a user may send, and what the server makes of it. */
export interface Sample {
  /** What is special about it; empty for the plain one of its kind. */
  readonly about: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isClusterScoped?: boolean;
  readonly metadata?: Fields;
  /** Everything but metadata; `<namespace>` stands for the case's namespace. */
  readonly sent: Fields;
  /** Everything that the created object has beside `apiVersion`, `kind` and what every object gets. */
  readonly made: Fields;
  /** The fields that belong to who created it, as the server writes them down; recorded for the plain samples. */
  readonly owned?: Fields;
}

const folder = join(import.meta.dirname, '../samples');

/** Every sample, file by file. */
export const samples: readonly Sample[] = readdirSync(folder)
  .toSorted()
  .flatMap((file) => parse(readFileSync(join(folder, file), 'utf8')) as readonly Sample[]);

/** Where objects of a sample's kind are. */
export function pathOf({ apiVersion, plural, isClusterScoped }: Sample, namespace: string, name?: string): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const scope = isClusterScoped === true ? '' : `/namespaces/${namespace}`;
  return `${root}${scope}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** The object to send. */
export function bodyOf({ apiVersion, kind, metadata, sent }: Sample, namespace: string, name: string): Fields {
  const body = { apiVersion, kind, metadata: { name, ...metadata }, ...sent };
  return JSON.parse(JSON.stringify(body).replaceAll('<namespace>', namespace)) as Fields;
}

const everyObjectHas = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'namespace', 'name']);

/** What a server made of a sample, with what differs from run to run replaced by placeholders. */
export function madeOf(object: KubeObject, namespace: string): Fields {
  const { apiVersion: _v, kind: _k, metadata, ...rest } = object;
  const special = Object.entries(metadata).filter(([key]) => !everyObjectHas.has(key));
  const text = JSON.stringify({ ...(special.length > 0 ? { metadata: Object.fromEntries(special) } : {}), ...rest })
    .replaceAll(metadata.uid, '<uid>')
    .replaceAll(`"${metadata.name}"`, '"<name>"')
    .replaceAll(`"${namespace}"`, '"<namespace>"')
    .replaceAll(/"10\.0\.\d+\.\d+"/g, '"<ip>"')
    .replaceAll(/"(nodePort|healthCheckNodePort)":\d+/g, '"$1":"<port>"')
    .replaceAll(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"<time>"');
  return JSON.parse(text) as Fields;
}
