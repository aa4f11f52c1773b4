/** Reads the operator's configuration from what a YAML or JSON parser made of the file. */
import { isRecord, isSet } from './loose.ts';
import { CONFIGURATION_API_VERSION, CONFIGURATION_KIND, type Configuration, LogEncoder } from './operator-config.ts';
import type { FieldError } from './validate/field-error.ts';

/** The configuration and the fields that nobody knows, or everything that is wrong with it. */
export type DecodedConfiguration =
  | { readonly ok: true; readonly value: Configuration; readonly unknownFields: readonly string[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

type Check = (value: unknown, field: string) => readonly FieldError[];

const text: Check = expecting('a text', (value) => typeof value === 'string');
const flag: Check = expecting('true or false', (value) => typeof value === 'boolean');
const integer: Check = expecting('a whole number', (value) => Number.isSafeInteger(value));
const number: Check = expecting('a number', (value) => typeof value === 'number' && Number.isFinite(value));
const texts: Check = listOfEach(text);
const textMap: Check = mapOfEach(text, 'texts (put numbers and true/false in quotes)');
const encoders: readonly unknown[] = [...Object.values(LogEncoder), ''];
const encoder: Check = expecting(`"${Object.values(LogEncoder).join('" or "')}"`, (value) => encoders.includes(value));
const envVar: Check = objectOf({ name: text, value: text }, ['name']);
const container: Check = objectOf({ name: text, image: text, command: texts, args: texts, env: listOfEach(envVar) }, [
  'name',
]);

const FIELDS: Readonly<Record<keyof Configuration, Check>> = {
  apiVersion: exactly(CONFIGURATION_API_VERSION),
  kind: exactly(CONFIGURATION_KIND),
  metricsAddr: text,
  probeAddr: text,
  enableLeaderElection: flag,
  leaderElectionNamespace: text,
  reconcileConcurrency: integer,
  watchNamespace: text,
  logFile: text,
  logFileEncoder: encoder,
  logStdoutEncoder: encoder,
  batchScheduler: text,
  enableBatchScheduler: flag,
  securityProfile: text,
  headSidecarContainers: listOfEach(container),
  workerSidecarContainers: listOfEach(container),
  defaultContainerEnvs: listOfEach(envVar),
  defaultPodAnnotations: textMap,
  defaultPodLabels: textMap,
  useKubernetesProxy: flag,
  deleteRayJobAfterJobFinishes: flag,
  enableMetrics: flag,
  qps: number,
  burst: integer,
  featureGates: mapOfEach(flag, 'true or false'),
};

const checkConfiguration: Check = objectOf(FIELDS, ['apiVersion', 'kind']);

/** Reads a configuration; wrong types are errors, unknown fields are only named, and null counts as not given. */
export function decodeConfiguration(value: unknown): DecodedConfiguration {
  if (!isRecord(value)) return { ok: false, errors: checkConfiguration(value, '') };
  const given = Object.entries(value).filter(([, content]) => isSet(content));
  const known = Object.fromEntries(given.filter(([field]) => Object.hasOwn(FIELDS, field)));
  if (!isConfiguration(known)) return { ok: false, errors: checkConfiguration(known, '') };
  const unknownFields = given.map(([field]) => field).filter((field) => !Object.hasOwn(FIELDS, field));
  return { ok: true, value: known, unknownFields };
}

function isConfiguration(value: object): value is Configuration {
  return checkConfiguration(value, '').length === 0;
}

function exactly(expected: string): Check {
  return expecting(`"${expected}"`, (value) => value === expected);
}

function expecting(what: string, fits: (value: unknown) => boolean): Check {
  return (value, field) => (fits(value) ? [] : [mistake(field, what, value)]);
}

function listOfEach(check: Check): Check {
  return (value, field) => {
    if (!Array.isArray(value)) return [mistake(field, 'a list', value)];
    return value.flatMap((item: unknown, index) => check(item, `${field}[${index}]`));
  };
}

function mapOfEach(check: Check, what: string): Check {
  return (value, field) => {
    if (!isRecord(value)) return [mistake(field, `a mapping to ${what}`, value)];
    return Object.entries(value).flatMap(([key, item]) => check(item, `${field}.${key}`));
  };
}

function objectOf(fields: Readonly<Record<string, Check>>, required: readonly string[]): Check {
  return (value, field) => {
    if (!isRecord(value)) return [mistake(field, `a mapping with ${required.join(' and ')}`, value)];
    return Object.entries(fields).flatMap(([name, check]) =>
      isSet(value[name]) || required.includes(name) ? check(value[name], field === '' ? name : `${field}.${name}`) : [],
    );
  };
}

function mistake(field: string, expected: string, value: unknown): FieldError {
  const subject = field === '' ? 'the configuration' : field;
  return { field, message: `${subject}: expected ${expected}, got ${describe(value)}` };
}

function describe(value: unknown): string {
  if (!isSet(value)) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}
