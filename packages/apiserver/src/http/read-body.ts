import { API_SERVER_LIMITS, messageOf } from '@manta/base';
import { isObject, type Json } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import { badRequest } from '../status/errors.ts';
import { decodeProtobuf } from '../protobuf/decode-object.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { jsonProblem } from './json-error.ts';
import { parseMediaType } from './media-type.ts';
import { requireFlat } from './nesting.ts';

/** A decoded body. */
export interface Body {
  readonly value: unknown;
  readonly duplicateFields: readonly string[];
}

/** Collects a request's bytes; 413 as soon as they are too many, 400 where the client ends in the middle. */
export async function collectBody(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of whole(stream)) {
    size += chunk.length;
    if (size > API_SERVER_LIMITS.bodyBytes) throw tooLarge(`limit is ${API_SERVER_LIMITS.bodyBytes}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A stream whose errors are the client's: nothing else than its connection makes them. */
async function* whole(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw badRequest(`the request body cannot be read: ${error instanceof Error ? error.message : 'it ended early'}`);
  }
}

/** Decodes the object of a POST, PUT or DELETE; `kind` is what the path expects. Custom resources have no protobuf form. */
export async function decodeObject(
  bytes: Buffer,
  contentType: string | undefined,
  kind: string,
  isBuiltin = true,
): Promise<Body> {
  const { type } = parseMediaType(contentType || 'application/json');
  if (type === 'application/json') return decodeJson(bytes.toString('utf8'), kind);
  if (type === 'application/yaml') return await decodeYaml(bytes.toString('utf8'), kind);
  if (type === 'application/vnd.kubernetes.protobuf' && isBuiltin) return decodeBinary(bytes, kind);
  const accepted = `application/json, application/yaml${isBuiltin ? ', application/vnd.kubernetes.protobuf' : ''}`;
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  throw new StatusError(415, 'UnsupportedMediaType', message);
}

function decodeBinary(bytes: Buffer, kind: string): Body {
  try {
    return { value: decodeProtobuf(bytes), duplicateFields: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the bytes cannot be read';
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
  }
}

function decodeJson(text: string, kind: string): Body {
  const refuse = (problem: string) => {
    const why = `couldn't get version/kind; json parse error: ${problem} (${shown(text)})`;
    return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
  };
  const value = parseJson(text, (error) => refuse(jsonProblem(text, error)));
  if (!isObject(value)) throw refuse(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${TYPE_META}`);
  return { value, duplicateFields: duplicateKeys(text) };
}

function parseJson(text: string, explain: (error: unknown) => Error): Json {
  try {
    requireFlat(text);
    return JSON.parse(text);
  } catch (error) {
    throw explain(error);
  }
}

/** Decodes the JSON of a patch. */
export function decodePatch(text: string): unknown {
  return parseJson(text, (error) => {
    const why = error instanceof Error ? error.message : '';
    return badRequest(`error decoding patch: ${why}`);
  });
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Short bodies are shown as text, others in hexadecimal digits, cut short. */
function shown(text: string): string {
  if (text === '') return '<empty>';
  if (/^\s*\{/.test(text)) return text.length > 64 ? `${text.slice(0, 64)} ...` : text;
  const hex = Buffer.from(text).toString('hex');
  return hex.length > 64 ? `${hex.slice(0, 64)} ...` : hex;
}

/** Decodes YAML. JSON is a part of YAML, and by far the cheaper one to read: a body that is JSON is read as such. */
export async function decodeYaml(text: string, kind: string): Promise<Body> {
  const value = readPlainJson(text) ?? (await readYaml(text));
  if (value === null || typeof value !== 'object') {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`);
  }
  return { value, duplicateFields: [] };
}

/** The object of a body that is JSON; undefined for all others. */
function readPlainJson(text: string): Json | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  requireFlatBody(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readYaml(text: string): Promise<Json> {
  const size = Buffer.byteLength(text);
  if (size > API_SERVER_LIMITS.yamlBytes) {
    throw tooLarge(`limit is ${API_SERVER_LIMITS.yamlBytes} for YAML, this body has ${size}: send it as JSON`);
  }
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { version: '1.1', uniqueKeys: false, merge: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw unreadableYaml(problem);
  const json = expand(() => JSON.stringify(document.toJS() ?? null));
  requireFlatBody(json);
  return JSON.parse(json);
}

/** Aliases may make a document refer to itself, or far larger than its text. */
function expand(write: () => string): string {
  try {
    return write();
  } catch (error) {
    throw unreadableYaml(error);
  }
}

function unreadableYaml(error: unknown): StatusError {
  const why = messageOf(error);
  return badRequest(`error converting YAML to JSON: yaml: ${firstLine(why)}`);
}

function requireFlatBody(json: string): void {
  try {
    requireFlat(json);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : ''}`);
  }
}

function tooLarge(why: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${why}`, {});
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
