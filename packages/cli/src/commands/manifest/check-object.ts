import {
  admitRayCluster,
  admitRayJob,
  admitRayService,
  defaultFeatureGates,
  type FieldError,
  validateRayClusterSpec,
  validateRayCronJob,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayServiceMetadata,
  validateRayServiceSpec,
  warnAboutRayCluster,
  warnAboutRayJob,
  warnAboutRayService,
} from '@manta/api';
import { type CompiledSchema, compileSchema } from '@manta/apiserver/schema';
import { sharedCrds } from '@manta/api/crds';
import { parse } from 'yaml';
import { editDistance } from '../../edit-distance.ts';

/** What is wrong, or only odd, about a field of an object. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly field: string;
  readonly message: string;
}

export type JsonRecord = Record<string, unknown>;

/** Whether an object is of a kind that this program checks. */
export function isRayObject(object: unknown): object is JsonRecord {
  return isRecord(object) && textAt(object, 'apiVersion').startsWith('ray.io/');
}

/**
 * Checks a Ray object like the API server and the operator do: unknown fields, schema, CEL rules, and the operator's own rules. The
 * operator's rules run only on an object that fits the schema.
 */
export function checkObject(object: JsonRecord): readonly Finding[] {
  const version = textAt(object, 'apiVersion').replace('ray.io/', '');
  const kind = textAt(object, 'kind');
  const schema = schemaOf(kind, version);
  if (schema === undefined) return [error('kind', `ray.io/${version} has no kind ${kind || '(none)'}.${knownKinds()}`)];
  const { object: pruned, dropped } = schema.prune(json(object));
  const unknown = dropped.map((field) => error(field, `unknown field${suggestion(field, kind, version)}`));
  const complete = schema.applyDefaults(pruned);
  const misfits = schema.validate(complete).map(({ field, message }) => error(field === '<nil>' ? '' : field, message));
  const findings = [...unknown, ...nameFindings(object), ...misfits];
  return misfits.length > 0 ? findings : [...findings, ...ownFindings(kind, complete)];
}

/** What the API server makes of an object: unknown fields dropped, defaults filled in, and why the schema refuses it. */
export function admitObject(object: JsonRecord): {
  readonly object: JsonRecord;
  readonly dropped: readonly string[];
  readonly problems: readonly string[];
} {
  const version = textAt(object, 'apiVersion').replace('ray.io/', '');
  const schema = schemaOf(textAt(object, 'kind'), version);
  if (schema === undefined) return { object, dropped: [], problems: [`ray.io/${version} is not served`] };
  const { object: pruned, dropped } = schema.prune(json(object));
  const complete = schema.applyDefaults(pruned);
  return {
    object: complete,
    dropped,
    problems: schema.validate(complete).map(({ field, message }) => `${field}: ${message}`),
  };
}

function ownFindings(kind: string, object: JsonRecord): readonly Finding[] {
  const gates = defaultFeatureGates();
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const annotations = metadata['annotations'];
  const named = 'name' in metadata ? metadata : { ...metadata, name: 'generated' };
  switch (kind) {
    case 'RayCluster':
      return [
        ...causesOf(admitRayCluster({ ...object, metadata: named })),
        ...errorsOf(validateRayClusterSpec(spec, annotations, gates)),
        ...warnAboutRayCluster(object).map(warning),
      ];
    case 'RayJob':
      return [
        ...causesOf(admitRayJob({ ...object, metadata: named })),
        ...errorsOf(validateRayJobMetadata(named)),
        ...errorsOf(validateRayJobSpec(spec, annotations, gates, parse)),
        ...warnAboutRayJob(object).map(warning),
      ];
    case 'RayService':
      return [
        ...causesOf(admitRayService({ ...object, metadata: named })),
        ...errorsOf(validateRayServiceMetadata(named)),
        ...errorsOf(validateRayServiceSpec(spec, annotations, gates)),
        ...warnAboutRayService(object).map(warning),
      ];
    default:
      return errorsOf(validateRayCronJob({ ...object, metadata: named }, gates, parse));
  }
}

function causesOf(status: ReturnType<typeof admitRayJob>): readonly Finding[] {
  return (status?.details.causes ?? []).map(({ field, message }) => error(field, message));
}

function errorsOf(problem: FieldError | undefined): readonly Finding[] {
  return problem === undefined ? [] : [error(problem.field, problem.message)];
}

/** A warning's text begins with the path of its field. */
function warning(text: string): Finding {
  const field = /^[\w.[\]/-]+/.exec(text)?.[0] ?? '';
  return { severity: 'warning', field, message: text };
}

function error(field: string, message: string): Finding {
  return { severity: 'error', field, message };
}

function nameFindings(object: JsonRecord): readonly Finding[] {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const isNamed = Boolean(metadata['name']) || Boolean(metadata['generateName']);
  return isNamed ? [] : [error('metadata.name', 'Required value: name or generateName is required')];
}

const compiled = new Map<string, CompiledSchema>();

function schemaOf(kind: string, version: string): CompiledSchema | undefined {
  const key = `${version}/${kind}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const schema = rawSchemaOf(kind, version);
  if (schema === undefined) return undefined;
  const fresh = compileSchema(schema);
  compiled.set(key, fresh);
  return fresh;
}

type RawSchema = Parameters<typeof compileSchema>[0];

/** The structural schema of a kind; undefined when there is none. */
export function rawSchemaOf(kind: string, version = 'v1'): RawSchema | undefined {
  const definition = sharedCrds().find(({ spec }) => spec.names.kind === kind);
  const schema = definition?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own CRDs hold structural schemas, whose types are narrower
  return schema as RawSchema | undefined;
}

function knownKinds(): string {
  return ` Use one of: ${sharedCrds()
    .map(({ spec }) => spec.names.kind)
    .join(', ')}.`;
}

/** The closest field beside an unknown one, if one is close. */
function suggestion(field: string, kind: string, version: string): string {
  const name = field.split('.').at(-1) ?? '';
  const siblings = siblingsOf(rawSchemaOf(kind, version), field.split('.').slice(0, -1));
  const [closest] = siblings.toSorted((a, b) => editDistance(name, a) - editDistance(name, b));
  if (closest === undefined || editDistance(name, closest) > Math.max(1, Math.floor(name.length / 3))) return '';
  return `. Did you mean ${closest}?`;
}

function siblingsOf(schema: unknown, steps: readonly string[]): readonly string[] {
  let node: unknown = schema;
  for (const step of steps) {
    const [name = '', ...indexes] = step.split('[');
    node = isRecord(node) && isRecord(node['properties']) ? node['properties'][name] : undefined;
    for (const _ of indexes) node = isRecord(node) ? node['items'] : undefined;
  }
  return isRecord(node) && isRecord(node['properties']) ? Object.keys(node['properties']) : [];
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a field; empty when it holds none. */
export function textAt(object: JsonRecord, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}

type Json = Parameters<CompiledSchema['prune']>[0];

/** What YAML holds beyond JSON, such as dates, becomes text, as the API server would get it. */
function json(object: JsonRecord): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the outcome of JSON.parse is JSON
  return JSON.parse(JSON.stringify(object)) as Json;
}
