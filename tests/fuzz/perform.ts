import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import type { ApiAnswer } from '../support/api-request.ts';
import { exclusions } from './excluded.ts';
import { collectionPath, kinds, type Operation, type PatchType, type Plural } from './operation.ts';
import type { FuzzServer } from './server.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- objects of any kind, read freely
type Any = any;

const contentTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Carries out operations on one server, in a namespace of their own. */
export class Performer {
  readonly #server: FuzzServer;
  readonly #namespace: string;
  /** The versions under which objects were first seen. */
  readonly #firstVersions = new Map<string, string>();

  constructor(server: FuzzServer, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
  }

  /** Sends the requests that the operation means; the answers, in order. */
  async perform(operation: Operation): Promise<readonly ApiAnswer[]> {
    const collection = collectionPath(operation.plural, this.#namespace);
    if (await this.#isLeftOut(collection, operation)) return [];
    switch (operation.do) {
      case 'create':
        return [await this.#create(collection, operation)];
      case 'update':
        return [await this.#update(collection, operation)];
      case 'patch':
        return [await this.#patch(collection, operation)];
      case 'delete':
        return [await this.#delete(collection, operation)];
      case 'deleteCollection':
        return [await this.#server.request('DELETE', `${collection}?${operation.query}`)];
      case 'get':
        return [await this.#server.request('GET', `${collection}/${operation.name}`)];
      case 'list':
        return await this.#list(collection, operation.query, operation.isContinued === true);
    }
  }

  async #isLeftOut(collection: string, operation: Operation): Promise<boolean> {
    const known = exclusions.filter(({ concerns }) => concerns(operation));
    if (known.length === 0 || !('name' in operation)) return false;
    const live = await this.#live(collection, operation.name);
    return known.some(({ applies }) => applies(live));
  }

  async #create(collection: string, operation: Operation & { do: 'create' }): Promise<ApiAnswer> {
    const strict = operation.isStrict === true ? '&fieldValidation=Strict' : '';
    const body = typed(operation.plural, operation.name, operation.body);
    return await this.#server.request('POST', `${collection}?${writeQuery(operation)}${strict}`, body);
  }

  async #update(collection: string, operation: Operation & { do: 'update' }): Promise<ApiAnswer> {
    const { plural, name, version, subresource, isBare } = operation;
    const live = await this.#live(collection, name);
    const base = isBare === true ? { metadata: identity(live) } : (live ?? {});
    const body: Any = typed(plural, name, overlaid(base, operation.body) as JsonObject);
    if (version === 'none') delete body.metadata.resourceVersion;
    if (version === 'first') body.metadata.resourceVersion = this.#firstVersions.get(`${collection}/${name}`);
    const path = `${collection}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
    return await this.#server.request('PUT', `${path}?${writeQuery(operation)}`, body);
  }

  async #patch(collection: string, operation: Operation & { do: 'patch' }): Promise<ApiAnswer> {
    const { plural, name, type, isForced, subresource } = operation;
    const body = type === 'apply' ? typed(plural, name, operation.body as JsonObject) : operation.body;
    const path = `${collection}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
    const query = `${writeQuery(operation)}${isForced === true ? '&force=true' : ''}`;
    return await this.#server.request('PATCH', `${path}?${query}`, JSON.stringify(body), {
      'content-type': contentTypes[type],
    });
  }

  async #delete(collection: string, { name, uid, version, options }: Operation & { do: 'delete' }): Promise<ApiAnswer> {
    const live = uid === undefined && version === undefined ? undefined : await this.#live(collection, name);
    const preconditions = {
      ...(uid === undefined ? {} : { uid: uid === 'right' ? (live?.metadata.uid ?? 'none') : 'wrong' }),
      ...(version === undefined
        ? {}
        : { resourceVersion: version === 'right' ? (live?.metadata.resourceVersion ?? '1') : '1' }),
    };
    const body = { ...options, ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }) };
    return await this.#server.request('DELETE', `${collection}/${name}`, body);
  }

  async #list(collection: string, query: string, isContinued: boolean): Promise<readonly ApiAnswer[]> {
    const first = await this.#server.request('GET', `${collection}?${query}`);
    const next = (first.body as Any)?.metadata?.continue;
    if (!isContinued || typeof next !== 'string') return [first];
    const rest = `${collection}?${query}&continue=${encodeURIComponent(next)}`;
    return [first, await this.#server.request('GET', rest)];
  }

  async #live(collection: string, name: string): Promise<Any> {
    const { status, body } = await this.#server.request('GET', `${collection}/${name}`);
    if (status !== 200) return undefined;
    const key = `${collection}/${name}`;
    const { metadata } = body as Any;
    if (!this.#firstVersions.has(key)) this.#firstVersions.set(key, metadata.resourceVersion);
    return body;
  }
}

function writeQuery({ by, isDryRun }: { readonly by: string; readonly isDryRun?: boolean }): string {
  return `fieldManager=${by}${isDryRun === true ? '&dryRun=All' : ''}`;
}

function typed(plural: Plural, name: string, body: JsonObject): JsonObject {
  const { metadata } = body;
  return { ...kinds[plural], ...body, metadata: { name, ...(metadata as JsonObject | undefined) } };
}

function identity(live: Any): JsonObject {
  return live === undefined ? {} : { resourceVersion: live.metadata.resourceVersion };
}

/** Maps are laid over maps key by key; null takes a key away; lists and everything else replace. */
function overlaid(below: Any, above: Any): Any {
  if (!isMap(below) || !isMap(above)) return above;
  const merged = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === null) delete merged[key];
    else merged[key] = overlaid(merged[key], value);
  }
  return merged;
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
