import { deepEqual } from '../../deep-equal.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../field/cause.ts';
import { checkLabelName } from '../../field/names.ts';
import { validateAnnotations, validateLabels } from '../../field/object-meta.ts';
import type { JsonObject } from '../../json.ts';
import { podLabelsOf } from '../prepare/job.ts';
import { metaOf, number, part, parts, text, textEntries } from '../read.ts';
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

function checkJobSpec(spec: JsonObject): Causes {
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

function generatedCauses(object: JsonObject, spec: JsonObject): Causes {
  const selector = part(spec, 'selector');
  if (spec['manualSelector'] === true || selector === undefined) return [];
  const meta = metaOf(object);
  const labels = part(metaOf(part(spec, 'template') ?? {}), 'labels') ?? {};
  const expected = (prefix: string) => [
    [`${prefix}controller-uid`, text(meta, 'uid')] as const,
    [`${prefix}job-name`, text(meta, 'name')] as const,
  ];
  const all = [...expected(''), ...expected('batch.kubernetes.io/')];
  const known = new Map<string, string>(all);
  const isSound = checkSelector(spec, 'selector', 'spec').length === 0;
  const isGenerated =
    !isSound || textEntries(selector, 'matchLabels').every(([key, value]) => known.get(key) === value);
  return [
    ...all.flatMap(([key, value]) => {
      const field = `${template}.metadata.labels[${key}]`;
      if (labels[key] === undefined) return [required(field, `must be '${value}'`)];
      return labels[key] === value ? [] : [invalid(field, labels, `must be '${value}'`)];
    }),
    ...(isGenerated ? [] : [invalid('spec.selector', selector, '`selector` not auto-generated')]),
  ];
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

const fixed = [
  'selector',
  'template',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
];

function checkJobStatus(status: JsonObject | undefined, old: JsonObject | undefined): Causes {
  const ready = number(status, 'ready') ?? 0;
  const isTooMany = ready > (number(status, 'active') ?? 0);
  return [
    ...(isTooMany ? [invalid('status.ready', ready, 'cannot set more ready pods than active')] : []),
    ...['failed', 'succeeded'].flatMap((key) => {
      const count = number(status, key) ?? 0;
      const isLess = count < (number(old, key) ?? 0);
      return isLess ? [invalid(`status.${key}`, count, `cannot decrease the ${key} counter`)] : [];
    }),
  ];
}

const uidLabel = 'batch.kubernetes.io/controller-uid';

/** The labels by which a job knows its pods stay on their template. */
function madeLabelCauses(object: JsonObject, spec: JsonObject): Causes {
  if (spec['manualSelector'] === true || spec['selector'] === undefined) return [];
  const labels = part(metaOf(part(spec, 'template') ?? {}), 'labels');
  const selector = part(spec, 'selector');
  const isOwn = text(part(selector, 'matchLabels'), uidLabel) === text(metaOf(object), 'uid');
  const missing = Object.entries(podLabelsOf(metaOf(object))).flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`;
    const given = text(labels, key);
    if (given === value) return [];
    return [given === '' ? required(field, `must be '${value}'`) : invalid(field, labels, `must be '${value}'`)];
  });
  return [...missing, ...(isOwn ? [] : [invalid('spec.selector', selector, '`selector` not auto-generated')])];
}

/** Checks what an update did to a job: what its pods are made from stays. */
export function checkJobUpdate(object: JsonObject, old: JsonObject, subresource: string): Causes {
  if (subresource === 'status') return checkJobStatus(part(object, 'status'), part(old, 'status'));
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const changed = fixed.filter((key) => !deepEqual(spec[key], before[key]));
  const hasOtherCount = spec['completions'] !== before['completions'] && text(before, 'completionMode') !== 'Indexed';
  return [
    ...checkJobSpec(spec),
    ...madeLabelCauses(object, spec),
    ...[...(hasOtherCount ? ['completions'] : []), ...changed].map((key) =>
      invalid(`spec.${key}`, spec[key] ?? null, 'field is immutable'),
    ),
  ];
}
