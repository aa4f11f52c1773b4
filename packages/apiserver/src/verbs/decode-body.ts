import { goQuote } from '@manta/api';
import { isObject, type JsonObject } from '../object/json.ts';
import { BUILTIN_RESOURCES } from '../registry/builtin-resources.ts';
import { badRequest } from '../status/errors.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { apiVersionOf, type ServedVersion } from '../registry/served-resource.ts';

/** Reads the object of a create or update: its type must be the one that the path names, unknown fields are dropped, defaults filled in. */
export function decodeBody(scope: Scope, body: unknown, params: WriteParams): JsonObject {
  if (!isObject(body)) throw badRequest(`${scope.version.resource.kind} must be a JSON object`);
  const typed = withType(scope, body);
  const { strategy } = scope.version;
  const { object, dropped } = strategy.prune(typed);
  reportUnknown(scope, params, dropped);
  return strategy.applyDefaults(object);
}

/** Fills in missing apiVersion and kind from the path; a mismatch is refused. Custom resources must have them. */
function withType({ version }: Scope, body: JsonObject): JsonObject {
  const { apiVersion = version.apiVersion, kind = version.resource.kind } = body;
  if (!version.isBuiltin) return checkCustomType(version, body);
  if (kind !== version.resource.kind || apiVersion !== version.apiVersion) {
    const shown = `${text(kind)} in version "${lastPart(text(apiVersion))}" cannot be handled as a ${version.resource.kind}`;
    const why = isKnownKind(text(kind), text(apiVersion))
      ? `converting (${goName(text(apiVersion))}.${text(kind)}) to (${internalGroup(version.resource.group)}.${version.resource.kind}): unknown conversion`
      : `no kind "${text(kind)}" is registered for version "${text(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`;
    throw badRequest(`${shown}: ${why}`);
  }
  return body['apiVersion'] === undefined || body['kind'] === undefined ? { ...body, apiVersion, kind } : body;
}

function isKnownKind(kind: string, apiVersion: string): boolean {
  return BUILTIN_RESOURCES.some(({ info }) => info.kind === kind && apiVersionOf(info.group, 'v1') === apiVersion);
}

function goName(apiVersion: string): string {
  return lastPart(apiVersion);
}

function internalGroup(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}

/** A wrong kind is left to validation, which names the field. */
function checkCustomType({ apiVersion, resource }: ServedVersion, body: JsonObject): JsonObject {
  const { apiVersion: given = '', kind = '' } = body;
  if (kind === '') {
    const json = JSON.stringify(body);
    const why = `Object 'Kind' is missing in '${json}' (${json})`;
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why}`);
  }
  if (given !== apiVersion) {
    throw badRequest(
      `the API version in the data (${text(given)}) does not match the expected API version (${apiVersion})`,
    );
  }
  return body;
}

function reportUnknown(scope: Scope, params: WriteParams, dropped: readonly string[]): void {
  // The real server escapes the names of unknown fields for built-in kinds only.
  const quote = scope.version.isBuiltin ? goQuote : (path: string) => `"${path}"`;
  const problems = [
    ...dropped.map((path) => `unknown field ${quote(path)}`),
    ...(params.duplicateFields ?? []).map((path) => `duplicate field ${quote(path)}`),
  ];
  if (problems.length === 0 || params.fieldValidation === 'Ignore') return;
  if (params.fieldValidation === 'Strict') {
    const { kind } = scope.version.resource;
    const why = `strict decoding error: ${problems.join(', ')}`;
    throw badRequest(`${kind} in version "${scope.version.name}" cannot be handled as a ${kind}: ${why}`);
  }
  for (const problem of problems) scope.warn(problem);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lastPart(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}
