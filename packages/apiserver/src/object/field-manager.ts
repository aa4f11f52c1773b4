import type { Scope, WriteParams } from '../requests/request.ts';

const MAX_LENGTH = 128;

/** Who is recorded as the writer of fields: what the request says, else the program's name out of its user agent. */
export function managerOf({ userAgent }: Pick<Scope, 'userAgent'>, { fieldManager }: WriteParams): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager;
  const program = userAgent.split('/')[0] ?? '';
  const printable = program.replaceAll(/\p{Cc}/gu, '');
  return printable.slice(0, MAX_LENGTH) || 'unknown';
}
