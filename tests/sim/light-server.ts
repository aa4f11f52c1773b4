import type { AdmissionPlugin, Api, Json, JsonObject, Schema, ServedResource, ServedVersion } from '@manta/apiserver';

type Strategy = ServedVersion['strategy'];

/** Managed fields are of no use here; parts that are atomic are compared, and recorded, as one. */
const ATOMIC: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  'x-kubernetes-preserve-unknown-fields': true,
};
const WHOLE: Schema = { type: 'object', properties: { spec: ATOMIC, status: ATOMIC, data: ATOMIC } };

/** The built-in kinds, made light once: how they are read and checked is the same in every run. */
let builtin: readonly ServedResource[] | undefined;

/**
 * Spares the API the work that no simulated program can see the result of, which is most of it: reading, filling in and checking what
 * it has read, filled in and checked before, and recording who set which field. What a program sends is checked as ever. To be called
 * before anything else is served.
 */
export function lighten({ registry }: Pick<Api, 'registry'>): void {
  builtin ??= registry.all().map(lightResource);
  for (const resource of builtin) registry.serve(resource);
}

/** Objects without managed fields are not tracked when they change. */
export const withoutManagers: AdmissionPlugin = {
  mutate: ({ object, operation }) => {
    const { metadata } = object;
    if (operation !== 'CREATE' || !isFields(metadata)) return object;
    const { managedFields: _, ...kept } = metadata;
    return { ...object, metadata: kept };
  },
};

/** As {@link lighten}, for one resource. */
export function lightResource(resource: ServedResource): ServedResource {
  const isEvent = resource.info.plural === 'events';
  const versions = [...resource.versions].map(([name, version]): [string, ServedVersion] => [
    name,
    isEvent ? unchecked(version) : { ...version, schema: WHOLE, resolve: (schema) => schema, strategy: light(version) },
  ]);
  return { ...resource, versions: new Map(versions) };
}

/** Events are written and never read again. */
function unchecked(version: ServedVersion): ServedVersion {
  const strategy: Strategy = {
    prune: (object) => ({ object, dropped: [] }),
    applyDefaults: (object) => object,
    prepareForCreate: (object) => object,
    prepareForUpdate: (object) => object,
    validateCreate: () => [],
    validateUpdate: () => [],
  };
  const same = <T>(object: T) => object;
  return { ...version, schema: WHOLE, resolve: same, strategy, fromStored: same, toStored: same };
}

/** A strategy that knows the specs which have passed it, by what they say: pods of a group differ in little else than their names. */
function light({ strategy, isBuiltin }: ServedVersion): Strategy {
  if (!isBuiltin) return strategy;
  const readings = new Memory<Json>();
  const checked = new Memory<true>();
  /** What was sent, by what was read of it. */
  const sent = new WeakMap<object, JsonObject>();
  /** Specs that need no reading, filling in and checking any more. */
  const passed = new WeakSet<object>();
  let blank: ReturnType<Strategy['prune']> | undefined;
  return {
    ...strategy,
    prune: (object) => {
      const { metadata, spec } = object;
      // What every object of a kind has is asked for with each that is made.
      if (metadata === undefined) return (blank ??= strategy.prune(object));
      if (!isFields(spec)) return strategy.prune(object);
      if (passed.has(spec)) return { object, dropped: [] };
      const known = readings.get(spec);
      if (known !== undefined) return { object: { ...object, spec: known }, dropped: [] };
      const read = strategy.prune(object);
      if (isFields(read.object['spec'])) sent.set(read.object['spec'], spec);
      return read;
    },
    applyDefaults: (object) => {
      const { spec } = object;
      if (!isFields(spec)) return strategy.applyDefaults(object);
      if (passed.has(spec)) return object;
      const filled = strategy.applyDefaults(object);
      if (isFields(filled['spec'])) {
        passed.add(filled['spec']);
        readings.set(sent.get(spec) ?? spec, filled['spec']);
      }
      return filled;
    },
    validateCreate: (object) => {
      const { spec } = object;
      if (isFields(spec) && checked.get(spec) === true) return [];
      const causes = strategy.validateCreate(object);
      if (causes.length === 0 && isFields(spec)) checked.set(spec, true);
      return causes;
    },
    validateUpdate: (object, old, subresource) =>
      isFields(object['spec']) && object['spec'] === old['spec']
        ? []
        : strategy.validateUpdate(object, old, subresource),
  };
}

const MEMORY_SIZE = 2_000;

/** What was worked out before, by what it was worked out of. */
class Memory<Value> {
  readonly #byText = new Map<string, Value>();

  get(of: JsonObject): Value | undefined {
    return this.#byText.get(JSON.stringify(of));
  }

  set(of: JsonObject, value: Value): void {
    if (this.#byText.size >= MEMORY_SIZE) this.#byText.clear();
    this.#byText.set(JSON.stringify(of), value);
  }
}

function isFields(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
