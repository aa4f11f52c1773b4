/** The name of an object, whose children get longer names made from it. */
import type { Loose } from '../loose.ts';
import { textOf } from '../loose.ts';
import type { ObjectMeta } from '../meta.ts';
import { type FieldError, fieldError } from './field-error.ts';
import { bracketed, byteLength, dns1035LabelErrors } from './kubernetes-names.ts';

/** Checks that the name is a DNS-1035 label with room for what children append to it. */
export function checkObjectName(kind: string, metadata: Loose<ObjectMeta>, maxLength: number): FieldError | undefined {
  const name = textOf(metadata?.name);
  if (byteLength(name) > maxLength) {
    return fieldError('metadata.name', `${kind} name should be no more than ${maxLength} characters`);
  }
  const reasons = dns1035LabelErrors(name);
  if (reasons.length === 0) return undefined;
  return fieldError('metadata.name', `${kind} name should be a valid DNS1035 label: ${bracketed(reasons)}`);
}
