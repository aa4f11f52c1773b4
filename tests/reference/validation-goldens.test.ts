import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  defaultFeatureGates,
  type FeatureGates,
  type FieldError,
  isManagedExternally,
  type RayCluster,
  type RayJob,
  type RayService,
  validateRayClusterMetadata,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
  validateRayClusterStatus,
  validateRayClusterUpgradeStrategy,
  validateRayCronJob,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayJobStatus,
  validateRayServiceMetadata,
  validateRayServiceSpec,
  warnAboutRayClusterSpec,
  withRayClusterDefaults,
} from '@manta/api';
import { describe, expect, it } from 'vitest';
import { parse, YAMLParseError } from 'yaml';
import { sharedFolder } from '../support/shared-folder.ts';
import { isMap, type Json, objectStates, type RayObject, readScenario, type Scenario } from './scenario-objects.ts';

interface GoldenEvent {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly note: string;
}

interface Operator {
  readonly gates: FeatureGates;
  readonly certManager: boolean;
}

/** Words of another YAML parser than ours; everything around them must agree. */
const PARSER_WORDS = /(error converting YAML to JSON: )(?:yaml: .*|not valid YAML at line \d+|unsupported map key.*)/;
/** KubeRay quotes the whole runtime environment, which may hold secrets; our message does not. */
const QUOTED_RUNTIME_ENV = /(failed to unmarshal RuntimeEnvYAML: )[\s\S]*?(error (?:converting|unmarshaling) )/;
/** A remedy that only we have. */
const OUR_REMEDY = /(cert-manager is not installed): install it, or .*/;

const oracle = join(sharedFolder(), 'oracle');
const SCENARIOS = ['raycluster', 'rayjob', 'rayservice', 'raycronjob'].flatMap((suite) => {
  const folder = join(oracle, 'scenarios', suite);
  return existsSync(folder) ? readdirSync(folder).map((file) => `${suite}/${file}`) : [];
});

/** What the peer accepts and we refuse on purpose; `docs/differences/` says why. */
const REFUSED_BY_US = ['rayservice/incremental-zero-step-stalls.yaml'];
const RECORDED = SCENARIOS.filter((path) => existsSync(join(oracle, 'golden', path)) && !REFUSED_BY_US.includes(path));

describe('what was refused is refused with the same words, and nothing else is', () => {
  it.each(RECORDED)('%s', (path) => {
    const { ours, recorded } = compare(path);
    expect(ours).toEqual(recorded);
  });
});

it.each(REFUSED_BY_US)('%s is refused by us', (path) => {
  expect(compare(path).ours).not.toEqual([]);
});

it('covers more than a hundred recorded refusals', () => {
  const refusals = RECORDED.flatMap((path) => compare(path).recorded);
  expect(refusals.length).toBeGreaterThan(100);
});

function compare(path: string): { readonly ours: readonly string[]; readonly recorded: readonly string[] } {
  const operator = operatorOf(readScenario(path));
  const names = new Set<string>();
  const notes: string[] = [];
  for (const state of objectStates(path)) {
    const object = withServerDefaults(state);
    names.add(`${object.kind}/${object.metadata.name}`);
    notes.push(...notesOn(object, operator));
  }
  const recorded = goldenEvents(path).filter(
    ({ kind, name, reason }) => reason.startsWith('Invalid') && names.has(`${kind}/${name}`),
  );
  return { ours: comparable(notes), recorded: comparable(recorded.map(({ note }) => note)) };
}

function comparable(notes: readonly string[]): readonly string[] {
  return [
    ...new Set(
      notes.map((note) =>
        note.replace(QUOTED_RUNTIME_ENV, '$1$2').replace(PARSER_WORDS, '$1<parser>').replace(OUR_REMEDY, '$1'),
      ),
    ),
  ].toSorted();
}

function goldenEvents(path: string): readonly GoldenEvent[] {
  const text = readFileSync(join(oracle, 'golden', path), 'utf8');
  if (!text.includes('reason: Invalid')) return [];
  const golden = parse(text) as {
    snapshots: readonly { events?: readonly GoldenEvent[] }[];
  };
  return golden.snapshots.flatMap(({ events = [] }) => events);
}

function operatorOf({ operator }: Scenario): Operator {
  const certManager = operator?.crds?.some((file) => file.includes('cert-manager')) ?? false;
  return { gates: { ...defaultFeatureGates(), ...operator?.featureGates }, certManager };
}

/** The events that a controller would write about the object, as far as they come from validation. */
function notesOn(object: RayObject, operator: Operator): readonly string[] {
  const id = `<ns>/${object.metadata.name}`;
  if (isManagedExternally(object['spec'] as object)) return [];
  if (object.kind === 'RayCluster') return clusterNotes(object, id, operator);
  const error = firstErrorOf(object, operator.gates);
  return error ? [`${id}: ${error.message}`] : [];
}

function firstErrorOf(object: RayObject, gates: FeatureGates): FieldError | undefined {
  if (object.kind === 'RayCronJob') return validateRayCronJob(object, gates, parseYaml);
  if (object.kind === 'RayJob') {
    const { metadata, spec, ...job } = object as RayJob;
    return (
      validateRayJobMetadata(metadata) ??
      validateRayJobSpec(spec, metadata?.annotations, gates, parseYaml) ??
      validateRayJobStatus({ ...job, ...(spec ? { spec } : {}) })
    );
  }
  const { metadata, spec } = object as RayService;
  return validateRayServiceMetadata(metadata) ?? validateRayServiceSpec(spec, metadata?.annotations, gates);
}

function clusterNotes(given: RayCluster, id: string, { gates, certManager }: Operator): readonly string[] {
  const cluster = withRayClusterDefaults(given);
  const { metadata, spec } = cluster;
  const name = validateRayClusterMetadata(metadata);
  if (name) return [`The RayCluster metadata is invalid ${id}: ${name.message}`];
  const broken =
    validateRayClusterSpec(spec, metadata?.annotations, gates) ??
    validateRayClusterPrerequisites(spec, gates, { certManager });
  if (broken) return [`The RayCluster spec is invalid ${id}: ${broken.message}`];
  const warning = warnAboutRayClusterSpec(spec, gates);
  const notes = warning ? [`RayCluster spec warning ${id}: ${warning.message}`] : [];
  const upgrade = validateRayClusterUpgradeStrategy(cluster);
  if (upgrade) return [...notes, `The RayCluster UpgradeStrategy is invalid ${id}: ${upgrade.message}`];
  const status = validateRayClusterStatus(cluster);
  return status ? [...notes, `The RayCluster status is invalid ${id}, ${status.message}`] : notes;
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { mapAsMap: true, uniqueKeys: false });
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new Error(`yaml: line ${error.linePos?.[0].line}: ${error.code}`, { cause: error });
  }
}

/** What the API server fills in for the fields that our rules look at. */
function withServerDefaults<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withServerDefaults) as Value;
  if (!isMap(value)) return value;
  const filled: Json = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withServerDefaults(item)]));
  const isWorkerGroup = typeof value['groupName'] === 'string' && isMap(value['template']);
  return (isWorkerGroup ? { replicas: 0, minReplicas: 0, maxReplicas: 2 ** 31 - 1, ...filled } : filled) as Value;
}
