import { isRecord, type Parsed, parsed, type RayJobSpec, unparsed, type YamlParser } from '@manta/api';
import { readRuntimeEnv } from './submitter-runtime-env.ts';

/** The operator's submission request in HTTPMode; absent members are left out. */
export interface JobSubmission {
  /** As the user wrote it, not trimmed. */
  readonly entrypoint: string;
  readonly submissionId: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly runtimeEnv?: Readonly<Record<string, unknown>>;
  readonly entrypointNumCpus?: number;
  readonly entrypointNumGpus?: number;
  readonly entrypointResources?: Readonly<Record<string, number>>;
}

/** The request that submits a job with an id; an error if the job's texts are invalid. */
export function buildJobSubmission(spec: RayJobSpec, jobId: string, parseYaml: YamlParser): Parsed<JobSubmission> {
  const runtimeEnv = readRuntimeEnv(spec.runtimeEnvYAML, parseYaml);
  if (!runtimeEnv.ok) return runtimeEnv;
  const resources = readResources(spec.entrypointResources ?? '');
  if (!resources.ok) return resources;
  const { metadata, entrypointNumCpus, entrypointNumGpus } = spec;
  return parsed({
    entrypoint: spec.entrypoint ?? '',
    submissionId: jobId,
    ...(hasMembers(metadata) ? { metadata } : {}),
    ...(hasMembers(runtimeEnv.value) ? { runtimeEnv: withFloats(runtimeEnv.value) } : {}),
    ...(entrypointNumCpus ? { entrypointNumCpus: float32(entrypointNumCpus) } : {}),
    ...(entrypointNumGpus ? { entrypointNumGpus: float32(entrypointNumGpus) } : {}),
    ...(hasMembers(resources.value) ? { entrypointResources: resources.value } : {}),
  });
}

/** Numbers in the request are floats, as in most JSON encoders. */
function withFloats(env: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inFloats(value)]));
}

function inFloats(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(inFloats);
  return isRecord(value) ? withFloats(value) : value;
}

/** A number as a 32-bit float, which the API's types hold, with the fewest digits that identify it. */
function float32(amount: number): number {
  const exact = Math.fround(amount);
  for (let digits = 1; digits < 10; digits += 1) {
    const short = Number(exact.toPrecision(digits));
    if (Math.fround(short) === exact) return short;
  }
  return exact;
}

function hasMembers<T extends object>(map: T | undefined): map is T {
  return map !== undefined && Object.keys(map).length > 0;
}

function readResources(text: string): Parsed<Readonly<Record<string, number>>> {
  if (text === '') return parsed({});
  const problem = `spec.entrypointResources is no JSON object of numbers: ${text}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unparsed(problem);
  }
  if (value === null) return parsed({});
  if (!isRecord(value) || !hasNumbers(value)) return unparsed(problem);
  return parsed(Object.fromEntries(Object.entries(value).map(([name, amount]) => [name, float32(amount)])));
}

function hasNumbers(map: Readonly<Record<string, unknown>>): map is Readonly<Record<string, number>> {
  return Object.values(map).every((amount) => typeof amount === 'number');
}
