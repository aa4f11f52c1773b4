import type { ResourceInfo } from '../object/resource-info.ts';
import { type FieldCause, StatusError } from './status-error.ts';
import { qualifiedResource } from '../registry/served-resource.ts';

type Named = Pick<ResourceInfo, 'group' | 'plural'>;

/** 400. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** 401. */
export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

/** 403: `why` says who may not do what. */
export function forbidden(resource: Named, name: string, why: string): StatusError {
  const object = name === '' ? '' : ` "${name}"`;
  const message = `${qualifiedResource(resource)}${object === '' ? '' : object} is forbidden: ${why}`;
  return new StatusError(403, 'Forbidden', message, detailsOf(resource, name));
}

/** 404: no such object. */
export function notFound(resource: Named, name: string): StatusError {
  const message = `${qualifiedResource(resource)} "${name}" not found`;
  return new StatusError(404, 'NotFound', message, { ...detailsOf(resource, ''), name });
}

/** 404: no such path. */
export function noSuchPath(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 405. */
export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

/** 405, of a custom resource. */
export function methodNotSupported(resource: Named, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${qualifiedResource(resource)}"`;
  return new StatusError(405, 'MethodNotAllowed', message, detailsOf(resource, ''));
}

/** 409: an object of that name exists. */
export function alreadyExists(resource: Named, name: string): StatusError {
  const message = `${qualifiedResource(resource)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, { ...detailsOf(resource, ''), name });
}

/** 409: the object is not what the request took it for. */
export function conflict(resource: Named, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, { ...detailsOf(resource, ''), name });
}

/** The message of a conflict caused by a concurrent write. */
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** 422: the object is wrong, field by field. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly FieldCause[],
): StatusError {
  const texts = [...new Set(causes.map(causeText))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const details = { ...(name === '' ? {} : { name }), ...(kind.group === '' ? {} : { group: kind.group }) };
  const message = `${subject} "${name}" is invalid${texts.length === 0 ? '' : `: ${list}`}`;
  return new StatusError(422, 'Invalid', message, {
    ...details,
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes,
  });
}

/** A field's error in one line, as it appears inside a Status message. */
export function causeText({ field, message }: FieldCause): string {
  // The real server writes an error of the object as a whole with an empty path like this.
  return `${field === '' ? '[]' : field}: ${message}`;
}

function detailsOf({ group, plural }: Named, name: string): { name?: string; group?: string; kind: string } {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
}
