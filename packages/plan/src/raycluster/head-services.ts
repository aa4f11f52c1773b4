import { serviceNames } from '@manta/api';
import { headServiceSelector } from '../build/head-service.ts';
import type { ServiceRecord } from './observed.ts';
import type { Subject } from './subject.ts';

/** The Services that lead to the head, by their labels; without any, the one that we have made and whose labels somebody took away. */
export function headServicesOf({ children, name, uid, spec }: Subject): readonly ServiceRecord[] {
  const wanted = Object.entries(headServiceSelector(name));
  const labelled = children.services.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value));
  if (labelled.length > 0) return labelled;
  const made = serviceNames.head(name, spec.headGroupSpec.headService?.metadata?.name);
  return children.services.filter((service) => service.name === made && service.owner === uid);
}
