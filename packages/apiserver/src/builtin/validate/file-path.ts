import { invalid } from '../../field/cause.ts';
import type { Causes } from './check.ts';

/** The path must not lead upwards. */
export function checkNoBacksteps(path: string, field: string): Causes {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/** The path must be relative and lead downwards. */
export function checkDescending(path: string, field: string): Causes {
  const causes = checkNoBacksteps(path, field);
  return path.startsWith('/') ? [invalid(field, path, 'must be a relative path'), ...causes] : causes;
}

/** The path must be relative, lead downwards and not begin with two dots. */
export function checkNotReserved(path: string, field: string): Causes {
  const causes = checkDescending(path, field);
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return isReserved ? [...causes, invalid(field, path, "must not start with '..'")] : causes;
}
