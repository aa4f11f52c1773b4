import type { JsonObject } from '../../object/json.ts';
import { metaOf, part, text, withDefaults } from '../read.ts';

const uidLabels = ['batch.kubernetes.io/controller-uid', 'controller-uid'];
const nameLabels = ['batch.kubernetes.io/job-name', 'job-name'];

/** The status of a job is its controller's; its selector and its pods' labels are made from its uid. */
export function prepareJob(object: JsonObject): JsonObject {
  const spec = part(object, 'spec') ?? {};
  const job = { ...object, status: {} };
  return spec['manualSelector'] === true ? job : withSelector(job, spec, metaOf(object));
}

/** The labels that a job gives its pods. */
export function podLabelsOf(meta: JsonObject): Readonly<Record<string, string>> {
  const [uid, name] = [text(meta, 'uid'), text(meta, 'name')];
  return Object.fromEntries([...nameLabels.map((key) => [key, name]), ...uidLabels.map((key) => [key, uid])]);
}

function withSelector(job: JsonObject, spec: JsonObject, meta: JsonObject): JsonObject {
  const uid = text(meta, 'uid');
  const template = part(spec, 'template') ?? {};
  const templateMeta = metaOf(template);
  const made = podLabelsOf(meta);
  const labels = withDefaults(part(templateMeta, 'labels') ?? {}, made);
  const selector = part(spec, 'selector') ?? {};
  const matchLabels = withDefaults(part(selector, 'matchLabels') ?? {}, { 'batch.kubernetes.io/controller-uid': uid });
  // Without labels of its own a job has those of its pods, and what is added to theirs is added to both.
  const isShared = meta['labels'] === templateMeta['labels'];
  return {
    ...job,
    metadata: isShared ? { ...meta, labels } : meta,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...templateMeta, labels } },
    },
  };
}
