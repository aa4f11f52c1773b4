import { subresourcesOf } from '../discovery/subresources.ts';
import { methodNotAllowed, methodNotSupported, noSuchPath, notFound } from '../status/errors.ts';
import type { Scope, Verb } from './request.ts';

/** Refuses a subresource that the resource does not have, and a verb that the subresource does not. */
export function requireSubresourceVerb({ resource, version, name, subresource }: Scope, verb: Verb): void {
  if (subresource === '') return;
  const { info } = resource;
  const found = subresourcesOf(resource, version.name).find((known) => known.name === subresource);
  if (found === undefined) throw version.isBuiltin ? noSuchPath() : notFound(info, name);
  if (found.verbs.includes(verb)) return;
  throw version.isBuiltin ? methodNotAllowed() : methodNotSupported(info, verb);
}
