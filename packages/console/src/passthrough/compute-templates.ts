import type { ConfigMap } from '@manta/api';
import { API_SERVER_LIMITS } from '@manta/base';
import { isNotFound, type KubeClient, resources } from '@manta/kube';
import { parse } from 'yaml';

const ROUTE = /^\/apis\/ray\.io\/v1\/namespaces\/([^/]+)\/(rayclusters|rayjobs|rayservices)(\/[^/]+)?$/;

/** A template cannot be applied; the caller gets the status and the message. */
export class TemplateFailed extends Error {
  override readonly name = 'TemplateFailed';
  readonly status: 400 | 413 | 422;

  constructor(status: 400 | 413 | 422, message: string) {
    super(message);
    this.status = status;
  }
}

type Fields = Record<string, unknown>;

/** The namespace of a request whose body may name compute templates: POST of a collection, PUT of an object. */
export function templatedNamespace(method: string, path: string): string | undefined {
  const [, namespace, , name] = ROUTE.exec(path) ?? [];
  const isWrite = (method === 'POST' && name === undefined) || (method === 'PUT' && name !== undefined);
  return isWrite ? namespace : undefined;
}

/**
 * Fills in the resources that `computeTemplate` of a head or worker group names, like KubeRay's API server v2: from ConfigMaps of the same
 * namespace, read with the caller's identity. Undefined: nothing had to be filled in, and the body stays as it is.
 */
export async function applyTemplates(
  body: Uint8Array,
  contentType: string,
  namespace: string,
  client: KubeClient,
): Promise<Uint8Array | undefined> {
  if (!contentType.includes('json') && body.length > API_SERVER_LIMITS.yamlBytes)
    throw new TemplateFailed(413, `the limit is ${API_SERVER_LIMITS.yamlBytes} bytes for YAML: send the body as JSON`);
  const object = parseBody(Buffer.from(body).toString('utf8'), contentType);
  const spec = fieldsIn(object, 'spec');
  if (spec === undefined) return undefined;
  const cluster = fieldsIn(spec, 'rayClusterSpec') ?? fieldsIn(spec, 'rayClusterConfig') ?? spec;
  const workers = Array.isArray(cluster['workerGroupSpecs']) ? cluster['workerGroupSpecs'].filter(isFields) : [];
  const head = fieldsIn(cluster, 'headGroupSpec');
  const groups = [
    ...(head === undefined ? [] : [{ group: head, container: 'ray-head' }]),
    ...workers.map((group) => ({ group, container: 'ray-worker' })),
  ].filter(({ group }) => typeof group['computeTemplate'] === 'string' && group['computeTemplate'] !== '');
  if (groups.length === 0) return undefined;
  for (const { group, container } of groups) {
    const name = String(group['computeTemplate']);
    fill(group, container, name, await readTemplate(client, namespace, name));
  }
  return Buffer.from(JSON.stringify(object));
}

async function readTemplate(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  try {
    const { data = {} }: ConfigMap = await client.get(resources.configMaps, { namespace, name });
    return data;
  } catch (error) {
    if (isNotFound(error))
      throw new TemplateFailed(422, `compute template ${namespace}/${name} does not exist: create its ConfigMap`);
    throw error;
  }
}

function fill(group: Fields, rayContainer: string, name: string, data: Readonly<Record<string, string>>): void {
  const template = own(group, 'template');
  const annotations = own(own(template, 'metadata'), 'annotations');
  annotations['ray.io/compute-template'] = name;
  const spec = own(template, 'spec');
  const amounts = { cpu: data['cpu'] ?? '', memory: `${data['memory'] ?? ''}${data['memory_unit'] || 'Gi'}` };
  const extended = jsonIn(name, data, 'extended_resources');
  const gpu = Number(data['gpu'] ?? 0) > 0 ? { [data['gpu_accelerator'] || 'nvidia.com/gpu']: data['gpu'] } : {};
  const containers = Array.isArray(spec['containers']) ? spec['containers'].filter(isFields) : [];
  for (const container of containers) {
    const more = container['name'] === rayContainer ? { ...gpu, ...(isFields(extended) ? extended : {}) } : {};
    const wanted = own(container, 'resources');
    for (const side of ['limits', 'requests']) Object.assign(own(wanted, side), amounts, more);
  }
  const tolerations = jsonIn(name, data, 'tolerations');
  if (Array.isArray(tolerations))
    spec['tolerations'] = [...(Array.isArray(spec['tolerations']) ? spec['tolerations'] : []), ...tolerations];
}

function jsonIn(name: string, data: Readonly<Record<string, string>>, key: string): unknown {
  const text = data[key];
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new TemplateFailed(422, `compute template ${name}: ${key} is not JSON`);
  }
}

function parseBody(text: string, contentType: string): Fields {
  if (!/json|yaml/.test(contentType))
    throw new TemplateFailed(
      400,
      `content type ${contentType === '' ? '(none)' : contentType} is neither JSON nor YAML`,
    );
  try {
    const value: unknown = contentType.includes('json')
      ? JSON.parse(text)
      : parse(text, { maxAliasCount: 10, uniqueKeys: false });
    return isFields(value) ? value : {};
  } catch {
    throw new TemplateFailed(400, `the body is not ${contentType.includes('json') ? 'JSON' : 'YAML'}`);
  }
}

/** A mapping in a mapping; created if it is missing. */
function own(fields: Fields, name: string): Fields {
  const existing = fieldsIn(fields, name);
  if (existing !== undefined) return existing;
  const created: Fields = {};
  fields[name] = created;
  return created;
}

function fieldsIn(fields: Fields, name: string): Fields | undefined {
  const value = fields[name];
  return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
