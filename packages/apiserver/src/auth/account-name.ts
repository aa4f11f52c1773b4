import { checkLabelName, checkSubdomainName } from '../field/names.ts';

const PREFIX = 'system:serviceaccount:';

/** The namespace and name in the user name of a service account; undefined for any other user, however similar its name is. */
export function parseAccountName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(PREFIX.length).split(':');
  const isValid = rest.length === 0 && checkLabelName(namespace).length + checkSubdomainName(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}
