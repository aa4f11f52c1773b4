import { type Ingress, isRecord, type KubeObject } from '@manta/api';
import { type LiveIngress, withoutManagedFields } from '@manta/plan';

/** The name of the program, by which the API server remembers what we wrote. */
export const FIELD_MANAGER = 'kuberay-operator';

/** What decisions need of an Ingress: the object, and which of its annotations are ours to take away again. */
export function liveIngress(ingress: Ingress): LiveIngress {
  const inherited = annotationsWrittenByUs(ingress);
  return { ...withoutManagedFields(ingress), ...(inherited.length === 0 ? {} : { inherited }) };
}

/** The annotations that only the operator has written. */
function annotationsWrittenByUs({ metadata = {} }: KubeObject): readonly string[] {
  const entries = 'managedFields' in metadata && Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  const written = Map.groupBy(entries.filter(isRecord), ({ manager }) => manager === FIELD_MANAGER);
  const others = new Set(written.get(false)?.flatMap(annotationsIn));
  return (written.get(true) ?? []).flatMap(annotationsIn).filter((key) => !others.has(key));
}

/** The annotations in the server's account of one writer: keys with `f:` before them. */
function annotationsIn({ fieldsV1 }: Readonly<Record<string, unknown>>): readonly string[] {
  const metadata = isRecord(fieldsV1) ? fieldsV1['f:metadata'] : undefined;
  const annotations = isRecord(metadata) ? metadata['f:annotations'] : undefined;
  return isRecord(annotations)
    ? Object.keys(annotations).flatMap((key) => (key.startsWith('f:') ? [key.slice(2)] : []))
    : [];
}
