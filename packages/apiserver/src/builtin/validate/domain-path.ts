import { invalid, required } from '../../field/cause.ts';
import { checkSubdomainName } from '../../field/names.ts';
import { regexError } from '../../field/regex-error.ts';
import { type Causes, checkValue } from './check.ts';

const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${pathFormat}$`);

/** Checks a name such as `example.com/controller`. */
export function checkDomainPath(name: string, field: string): Causes {
  if (name === '') return [required(field)];
  const [, host = '', path = ''] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  if (host === '' || path === '')
    return [invalid(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const causes = checkValue(host, field, checkSubdomainName);
  return pathPattern.test(path) ? causes : [...causes, invalid(field, path, regexError('Invalid path', pathFormat))];
}
