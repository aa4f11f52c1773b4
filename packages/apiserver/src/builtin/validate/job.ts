import { ownValue } from '@manta/base';
import { forbidden, invalid, notSupported, required, tooLong } from '../../field/cause.ts';
import { checkLabelName } from '../../field/names.ts';
import { validateAnnotations, validateLabels } from '../../field/object-meta.ts';
import type { JsonObject } from '../../object/json.ts';
import { podLabelsOf } from '../prepare/job.ts';
import { metaOf, number, part, parts, text } from '../read.ts';
import { type Causes, checkNonNegative, checkOptionalOneOf } from './check.ts';
import { checkDomainPath } from './domain-path.ts';
import { checkPodSpec } from './pod-spec.ts';
import { checkSelector, isSelected } from './selector.ts';

const template = 'spec.template';
const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** Checks a job. */
export function checkJob(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  return [...generatedCauses(object, spec), ...checkJobSpec(spec), ...hostnameCauses(object, spec)];
}

/** Validates a job's spec, independent of its owner. */
export function checkJobSpec(spec: JsonObject): Causes {
  const labels = part(metaOf(part(spec, 'template') ?? {}), 'labels');
  const selector = checkSelector(spec, 'selector', 'spec');
  const asked = part(spec, 'selector');
  const isMatching = selector.length > 0 || (asked !== undefined && isSelected(labels ?? {}, asked));
  return [
    ...counts.flatMap((key) => checkNonNegative(spec, key, 'spec')),
    ...managedByCauses(spec),
    ...indexCauses(spec),
    ...checkOptionalOneOf(
      spec,
      'podReplacementPolicy',
      'spec',
      spec['podFailurePolicy'] === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'],
    ),
    ...checkTemplate(part(spec, 'template') ?? {}, template),
    ...restartCauses(spec),
    ...(part(spec, 'selector') === undefined ? [required('spec.selector')] : selector),
    ...(isMatching
      ? []
      : [invalid(`${template}.metadata.labels`, labels ?? null, '`selector` does not match template `labels`')]),
  ];
}

/** Checks the template of a pod. */
export function checkTemplate(pod: JsonObject, path: string): Causes {
  const spec = part(pod, 'spec') ?? {};
  return [
    ...validateLabels(metaOf(pod)['labels'], `${path}.labels`),
    ...validateAnnotations(metaOf(pod)['annotations'], `${path}.annotations`),
    ...checkPodSpec(spec, `${path}.spec`, ''),
    ...(parts(spec, 'ephemeralContainers').length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

/** The labels by which a job knows its pods are on their template, and its selector asks for nothing else. */
export function generatedCauses(object: JsonObject, spec: JsonObject): Causes {
  const selector = part(spec, 'selector');
  if (spec['manualSelector'] === true || selector === undefined) return [];
  const labels = part(metaOf(part(spec, 'template') ?? {}), 'labels') ?? {};
  const made = podLabelsOf(metaOf(object));
  const missing = Object.entries(made).flatMap(([key, value]) => {
    const field = `${template}.metadata.labels[${key}]`;
    if (ownValue(labels, key) === undefined) return [required(field, `must be '${value}'`)];
    return ownValue(labels, key) === value ? [] : [invalid(field, labels, `must be '${value}'`)];
  });
  const isSound = checkSelector(spec, 'selector', 'spec').length === 0;
  if (!isSound || isSelected(made, selector)) return missing;
  return [...missing, invalid('spec.selector', selector, '`selector` not auto-generated')];
}

function managedByCauses(spec: JsonObject): Causes {
  const manager = spec['managedBy'];
  if (typeof manager !== 'string') return [];
  return [
    ...checkDomainPath(manager, 'spec.managedBy'),
    ...(manager.length > 63 ? [tooLong('spec.managedBy', 63)] : []),
  ];
}

function indexCauses(spec: JsonObject): Causes {
  const mode = text(spec, 'completionMode');
  const modes = ['NonIndexed', 'Indexed'];
  const [perIndex, maxFailed] = [number(spec, 'backoffLimitPerIndex'), number(spec, 'maxFailedIndexes')];
  const causes: Causes[number][] = [];
  if (maxFailed !== undefined && perIndex === undefined) {
    causes.push(required('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  }
  if (!modes.includes(mode)) causes.push(notSupported('spec.completionMode', mode, modes));
  if (mode === 'Indexed') {
    const [completions, parallelism] = [number(spec, 'completions'), number(spec, 'parallelism')];
    if (completions === undefined) causes.push(required('spec.completions', 'when completion mode is Indexed'));
    if (parallelism !== undefined && parallelism > 100_000) {
      causes.push(
        invalid(
          'spec.parallelism',
          parallelism,
          'must be less than or equal to 100000 when completion mode is Indexed',
        ),
      );
    }
    if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
      causes.push(invalid('spec.maxFailedIndexes', maxFailed, 'must be less than or equal to completions'));
    }
  }
  if (mode !== 'NonIndexed') return causes;
  const problem = 'requires indexed completion mode';
  if (perIndex !== undefined) causes.push(invalid('spec.backoffLimitPerIndex', perIndex, problem));
  if (maxFailed !== undefined) causes.push(invalid('spec.maxFailedIndexes', maxFailed, problem));
  return causes;
}

function restartCauses(spec: JsonObject): Causes {
  const field = `${template}.spec.restartPolicy`;
  const policy = text(part(part(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(field, policy, ['OnFailure', 'Never'])];
  if (spec['podFailurePolicy'] === undefined || policy === 'Never') return [];
  return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function hostnameCauses(object: JsonObject, spec: JsonObject): Causes {
  const completions = number(spec, 'completions') ?? 0;
  if (text(spec, 'completionMode') !== 'Indexed' || completions <= 0) return [];
  const name = text(metaOf(object), 'name');
  const hostname = `${name}-${completions - 1}`;
  if (checkLabelName(hostname).length === 0) return [];
  return [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${hostname}`)];
}
