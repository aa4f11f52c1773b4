import { crds } from '@manta/api/crds';
import {
  builtinKinds,
  builtinSchema,
  createBuiltinStrategy,
  resolveBuiltin,
} from '../../packages/apiserver/src/builtin/index.ts';
import { createCrdStrategy } from '../../packages/apiserver/src/crd/crd-strategy.ts';
import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  recordUpdate,
  serverSideApply,
  undecodableResult,
  withoutManagedFields,
  withoutTimeOnlyChange,
} from '../../packages/apiserver/src/patch/index.ts';
import type { ResolveSchema, Schema } from '../../packages/apiserver/src/object/schema.ts';
import type { Strategy } from '../../packages/apiserver/src/registry/strategy.ts';
import { StatusError } from '../../packages/apiserver/src/status/status-error.ts';
import type { PlaneClient } from '../support/control-plane.ts';
import type { Answered } from './ray-api.ts';

/** One write, by one manager. */
/** Times are not compared. */
const NOW = '2026-01-01T00:00:00Z';

export interface Step {
  readonly do: 'create' | 'update' | 'json' | 'merge' | 'strategic' | 'apply';
  readonly by: string;
  /** The whole object for create and update (merged over what is there), the patch otherwise; name and kind are filled in. */
  readonly body: unknown;
  readonly subresource?: string;
  readonly force?: boolean;
  /** Writes through another version of the kind. */
  readonly through?: TwinKind;
  /** Sends an applied object as it is, without filling in name and kind. */
  readonly isRaw?: boolean;
}

/** What came of a step, in a form in which both servers' results can be compared. */
export interface Outcome {
  readonly error?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly causes: unknown;
  };
  readonly object?: Answered;
  readonly managedFields?: readonly Answered[];
  /** The write changed nothing, so nothing was written. */
  readonly isNoop?: boolean;
}

/** A kind, as both sides know it. */
export interface TwinKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: (namespace: string) => string;
  readonly schema: Schema;
  readonly resolve: ResolveSchema;
  readonly strategy: Strategy;
  readonly hasStatus: boolean;
  /** The server fills in created objects of this kind beyond what decoding and defaulting do. */
  readonly isFilledIn: boolean;
}

/** A built-in kind. */
export function builtinTwin(apiVersion: string, kind: string, plural: string): TwinKind {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const known = builtinKinds.find((each) => each.kind === kind && each.group === group);
  const schema = known === undefined ? undefined : builtinSchema(known.definition);
  if (known === undefined || schema === undefined) throw new Error(`there is no built-in kind ${apiVersion} ${kind}`);
  return {
    apiVersion,
    kind,
    path: (namespace) =>
      `/${group === '' ? 'api' : 'apis'}/${apiVersion}${known.isNamespaced ? `/namespaces/${namespace}` : ''}/${plural}`,
    schema,
    resolve: resolveBuiltin,
    strategy: createBuiltinStrategy(known),
    hasStatus: schema.properties?.['status'] !== undefined,
    isFilledIn: kind !== 'ConfigMap',
  };
}

/** One of our own kinds. */
export function rayTwin(kind: string, name = 'v1'): TwinKind {
  const crd = crds().find(({ spec }) => spec?.names.kind === kind);
  const version = crd?.spec?.versions.find((each) => each.name === name);
  if (crd?.spec === undefined || version?.schema?.openAPIV3Schema === undefined) throw new Error(`no CRD for ${kind}`);
  const schema = version.schema.openAPIV3Schema as Schema;
  return customTwin({ group: 'ray.io', kind, name, plural: crd.spec.names.plural, schema, hasStatus: true });
}

/** One version of a custom resource. */
export function customTwin(version: {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly plural: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
}): TwinKind {
  const { group, kind, name, plural, schema, hasStatus } = version;
  return {
    apiVersion: `${group}/${name}`,
    kind,
    path: (namespace) => `/apis/${group}/${name}/namespaces/${namespace}/${plural}`,
    schema,
    resolve: (each) => each,
    strategy: createCrdStrategy({
      group,
      kind,
      name,
      isNamespaced: true,
      isServed: true,
      isStorage: true,
      schema,
      hasStatus,
      scale: undefined,
      deprecationWarning: undefined,
      selectableFields: [],
    }),
    hasStatus,
    isFilledIn: false,
  };
}

const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** An object on the real server, written to step by step, with what our functions make of each step. */
export class Twin {
  private readonly plane: PlaneClient;
  private readonly firstKind: TwinKind;
  private readonly namespace: string;
  private readonly name: string;
  private kind: TwinKind;

  constructor(plane: PlaneClient, kind: TwinKind, namespace: string, name: string) {
    this.plane = plane;
    this.firstKind = kind;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
  }

  private get collection(): string {
    return this.kind.path(this.namespace);
  }

  /** The object as it is stored. */
  async live(): Promise<Answered> {
    const answer = await this.plane.request('GET', `${this.collection}/${this.name}`);
    return answer.status === 404 ? undefined : answer.body;
  }

  /** Does the step on both sides. */
  async run(step: Step): Promise<{ readonly real: Outcome; readonly ours: Outcome }> {
    this.kind = step.through ?? this.firstKind;
    const live = await this.live();
    const body = this.bodyOf(step, live);
    const answer = await this.send(step, body);
    const ours = this.compute(step, body, live);
    return { real: this.realOutcome(answer, live), ours };
  }

  private bodyOf(step: Step, live: Answered): unknown {
    const isWhole = step.do === 'create' || step.do === 'update';
    if (step.isRaw === true || (!isWhole && step.do !== 'apply')) return step.body;
    const { apiVersion, kind } = this.kind;
    const body = step.body as JsonObject;
    const old = isWhole ? live : undefined;
    const metadata = { ...old?.metadata, name: this.name, ...(body['metadata'] as object | undefined) };
    return { ...old, apiVersion, kind, ...body, metadata };
  }

  private send(step: Step, body: unknown): Promise<Answered> {
    const sub = step.subresource === undefined ? '' : `/${step.subresource}`;
    const query = `?fieldManager=${step.by}${step.force === true ? '&force=true' : ''}`;
    const path = `${this.collection}/${this.name}${sub}${query}`;
    if (step.do === 'create') return this.plane.request('POST', `${this.collection}${query}`, body);
    if (step.do === 'update') return this.plane.request('PUT', path, body);
    const headers = { 'content-type': contentTypes[step.do] ?? '' };
    return this.plane.request('PATCH', path, JSON.stringify(body), headers);
  }

  private realOutcome(answer: Answered, live: Answered): Outcome {
    const { body } = answer;
    if (answer.status >= 300) {
      const { message, details, reason = '' } = body;
      return refusal(answer.status, reason, message, details?.causes);
    }
    return { ...outcomeOf(body), isNoop: live?.metadata.resourceVersion === body.metadata.resourceVersion };
  }

  private compute(step: Step, body: unknown, live: Answered): Outcome {
    try {
      const result = this.write(step, body, live);
      const kept = live === undefined ? result : withoutTimeOnlyChange(live, result);
      return { ...outcomeOf(kept), isNoop: kept === live };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { code, reason, message, details } = error;
      return refusal(code, reason, message, details?.causes);
    }
  }

  private write(step: Step, body: unknown, live: Answered): JsonObject {
    const { strategy } = this.kind;
    const recorded = step.do === 'apply' ? this.applied(step, body, live) : this.recorded(step, body, live);
    if (live === undefined) return strategy.prepareForCreate(recorded, NOW);
    return strategy.prepareForUpdate(recorded, live, step.subresource ?? '', NOW);
  }

  private applied(step: Step, body: unknown, live: Answered): JsonObject {
    const { schema, resolve, hasStatus, apiVersion, kind } = this.kind;
    return this.decode(
      serverSideApply({
        live,
        applied: body as JsonObject,
        manager: step.by,
        force: step.force === true,
        schema,
        resolve,
        hasStatus,
        apiVersion,
        kind,
        now: now(),
        subresource: step.subresource ?? '',
      }),
    );
  }

  private recorded(step: Step, body: unknown, live: Answered): JsonObject {
    const { schema, resolve, hasStatus, apiVersion } = this.kind;
    const wanted = this.patched(step, body, live);
    return recordUpdate({
      before: live,
      after: this.decodePatched(step, wanted),
      sentManagedFields: (wanted as Answered).metadata?.managedFields,
      manager: step.by,
      apiVersion,
      schema,
      resolve,
      hasStatus,
      now: now(),
      subresource: step.subresource ?? '',
    });
  }

  private patched(step: Step, body: unknown, live: Answered): JsonObject {
    switch (step.do) {
      case 'json':
        return applyJsonPatch(live, body) as JsonObject;
      case 'merge':
        return applyMergePatch(live, body);
      case 'strategic':
        return applyStrategicMergePatch(live, body, this.kind.schema, this.kind.resolve);
      default:
        return body as JsonObject;
    }
  }

  private decodePatched(step: Step, object: JsonObject): JsonObject {
    try {
      return this.decode(object);
    } catch (error) {
      const detail =
        error instanceof StatusError ? / cannot be handled as a \w+: (.*)$/.exec(error.message)?.[1] : undefined;
      if (detail === undefined || (step.do !== 'json' && step.do !== 'merge')) throw error;
      throw undecodableResult(step.do, object, detail);
    }
  }

  private decode(object: JsonObject): JsonObject {
    const { strategy } = this.kind;
    return strategy.applyDefaults(withoutEmptyMetadata(strategy.prune(object).object));
  }
}

/** The server reads metadata into a struct and writes it again, which leaves out what is empty. */
function withoutEmptyMetadata(object: JsonObject): JsonObject {
  const metadata = Object.entries(object['metadata'] ?? {}).filter(
    ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
  );
  return { ...object, metadata: Object.fromEntries(metadata) };
}

/** Fields of metadata that only the server decides. */
const serverOwned = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'namespace'];

function outcomeOf(object: Answered): Outcome {
  const { managedFields = [] } = object.metadata;
  const { metadata } = withoutManagedFields(object);
  const kept = Object.entries(metadata as object).filter(([key]) => !serverOwned.includes(key));
  const entries = managedFields.map((entry: Answered) => ({
    ...entry,
    time: entry.time === undefined ? 'none' : 'some',
  }));
  return { object: { ...object, metadata: Object.fromEntries(kept) }, managedFields: sorted(entries) };
}

/** Where several things are wrong, the server names them, or the first of them, in any order; so it does with fields that it quotes. */
function refusal(code: number, reason: string, message: string, causes: readonly object[] = []): Outcome {
  const text = (each: string) =>
    each
      .replace(/Invalid value: "\{.*\}": json: cannot unmarshal .*/, 'Invalid value: an object')
      .split('\n')
      .toSorted()
      .join('\n');
  const told = causes.map((cause: Answered) => ({ ...cause, message: text(cause.message) }));
  return { error: { code, reason, message: text(message), causes: sorted(told) } };
}

/** In an order that does not depend on the servers' clocks. */
function sorted<T extends object>(list: readonly T[]): readonly T[] {
  const keyOf = (item: T) => JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
