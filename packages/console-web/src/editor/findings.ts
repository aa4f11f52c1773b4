import {
  defaultFeatureGates,
  type FieldError,
  validateRayClusterMetadata,
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
import { type Document, isNode, isScalar, parse, parseAllDocuments } from 'yaml';
import { misfits } from './misfits.ts';
import { KINDS, schemaOf, withDefaults } from './schema.ts';

/** What is wrong, or only odd, about a range of the text. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** An object of the text: a manifest. */
export type Manifest = Readonly<Record<string, unknown>> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly spec?: unknown;
};

export interface CheckedText {
  readonly findings: readonly Finding[];
  /** The objects of the text; empty while its syntax is broken. */
  readonly manifests: readonly Manifest[];
}

/** Checks syntax, schema and the operator's own rules. The API server's dry run decides about everything else. */
export function checkText(text: string): CheckedText {
  const parsed = parseAllDocuments(text);
  const documents = Array.isArray(parsed) ? parsed : [];
  const broken = documents.flatMap(({ errors }) => errors);
  if (broken.length > 0) {
    const findings = broken.map(({ pos: [from, to], message }) => ({
      from,
      to: Math.max(to, from + 1),
      severity: 'error' as const,
      message: (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''),
    }));
    return { findings, manifests: [] };
  }
  const results = documents.filter(({ contents }) => contents !== null).map(checkDocument);
  return {
    findings: results.flatMap(({ findings }) => findings),
    manifests: results.flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest])),
  };
}

function checkDocument(document: Document): { readonly findings: readonly Finding[]; readonly manifest?: Manifest } {
  const whole = (message: string) => ({ findings: [errorAt(document, '', message)] });
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    return whole(error instanceof Error ? error.message : String(error));
  }
  if (!isManifest(value)) return whole('A manifest is a mapping with apiVersion, kind, metadata and spec.');
  const { kind = '', apiVersion = '' } = value;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('ray.io/')) return { findings: [], manifest: value };
  const schema = schemaOf(kind);
  if (schema === undefined)
    return {
      findings: [errorAt(document, 'kind', `${kind || 'This'} is not a Ray kind. Use one of: ${KINDS.join(', ')}.`)],
    };
  const wrong = misfits(document.contents, schema);
  if (wrong.length > 0) return { findings: wrong, manifest: value };
  const complete = withDefaults(value, schema);
  const own = operatorRules(kind, isManifest(complete) ? complete : value);
  const findings = [
    ...own.errors.map(({ field, message }) => errorAt(document, field, message)),
    ...own.warnings.map((message) => ({
      ...errorAt(document, /^[\w.[\]/-]+/.exec(message)?.[0] ?? '', message),
      severity: 'warning' as const,
    })),
  ];
  return { findings, manifest: value };
}

function operatorRules(
  kind: string,
  value: Manifest,
): { readonly errors: readonly FieldError[]; readonly warnings: readonly string[] } {
  const gates = defaultFeatureGates();
  const { metadata = {}, spec = {} } = value;
  const named = 'name' in metadata ? metadata : { ...metadata, name: 'generated' };
  const { annotations } = metadata;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the validators take anything: they exist to check it
  const loose = { ...value, metadata: named, spec } as never;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const looseSpec = spec as never;
  const errors = (...found: readonly (FieldError | undefined)[]) => found.filter((each) => each !== undefined);
  switch (kind) {
    case 'RayCluster':
      return {
        errors: errors(validateRayClusterMetadata(named), validateRayClusterSpec(looseSpec, annotations, gates)),
        warnings: warnAboutRayCluster(loose),
      };
    case 'RayJob':
      return {
        errors: errors(validateRayJobMetadata(named), validateRayJobSpec(looseSpec, annotations, gates, parse)),
        warnings: warnAboutRayJob(loose),
      };
    case 'RayService':
      return {
        errors: errors(validateRayServiceMetadata(named), validateRayServiceSpec(looseSpec, annotations, gates)),
        warnings: warnAboutRayService(loose),
      };
    default:
      return { errors: errors(validateRayCronJob(loose, gates, parse)), warnings: [] };
  }
}

/** An error at a field, or at the nearest part above it that the text has. */
function errorAt(document: Document, field: string, message: string): Finding {
  const steps = (field.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = steps.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(steps.slice(0, length), true);
    if (isNode(node) && node.range) {
      const [from, to] = node.range;
      return { from, to: isScalar(node) ? Math.max(to, from + 1) : from + 1, severity: 'error', message };
    }
  }
  return { from: 0, to: 1, severity: 'error', message };
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
