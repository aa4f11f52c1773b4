import { readFile } from 'node:fs/promises';
import { type Document, parseDocument } from 'yaml';
import { messageOf, usageError } from '../cli-error.ts';
import {
  type AutoscalerVersion,
  type ClusterConfig,
  DEFAULT_GROUP,
  type GcsfuseConfig,
  imageFor,
  type NodeConfig,
  RAY_VERSION,
  DEFAULT_IMAGE,
  type WorkerGroupConfig,
} from './cluster-config.ts';
import { ConfigFields } from './config-fields.ts';

/** Reads the file of `create cluster --file`. Unknown keys are errors: a misspelt key would otherwise be ignored in silence. */
export async function readConfigFile(path: string): Promise<ClusterConfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? `config file ${path} does not exist` : `failed to read config file: ${messageOf(error)}`;
    throw usageError(`failed to parse config file: ${why}`, error);
  }
  return parseConfig(text, path);
}

/** The configuration in a YAML text; `path` is named in errors. */
export function parseConfig(text: string, path: string): ClusterConfig {
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined)
    throw usageError(`failed to parse config file: failed to parse YAML: ${path}: ${problem.message}`);
  const root = new ConfigFields(path, '', valueOf(document, path) ?? {});
  const rayVersion = root.text('ray-version') ?? RAY_VERSION;
  const config: ClusterConfig = {
    ...root.optional({ namespace: root.text('namespace'), name: root.text('name') }),
    ...root.optional({ labels: root.map('labels'), annotations: root.map('annotations') }),
    rayVersion,
    image: imageFor(root.text('image') ?? DEFAULT_IMAGE, rayVersion),
    ...root.optional({ serviceAccount: root.text('service-account') }),
    head: readHead(root.fields('head')),
    workerGroups: readGroups(root),
    ...root.optional({ autoscaler: readAutoscaler(root.fields('autoscaler')) }),
    ...root.optional({ gcsfuse: readGcsfuse(root.fields('gke')) }),
  };
  root.finish();
  return config;
}

/** Throws for aliases that would grow without bounds. */
function valueOf(document: Document.Parsed, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw usageError(`failed to parse config file: failed to parse YAML: ${path}: ${messageOf(error)}`, error);
  }
}

const DEFAULT_NODE = { cpu: '2', memory: '4Gi' } as const;

function readHead(fields: ConfigFields | undefined): NodeConfig {
  if (fields === undefined) return DEFAULT_NODE;
  const head = { ...DEFAULT_NODE, ...readNode(fields) };
  fields.finish();
  return head;
}

/** A list that is given replaces the default group altogether. */
function readGroups(root: ConfigFields): readonly WorkerGroupConfig[] {
  const groups = root.list('worker-groups');
  if (groups === undefined) return [{ name: DEFAULT_GROUP, replicas: 1, ...DEFAULT_NODE }];
  return groups.map((fields) => {
    const group = {
      ...readNode(fields),
      ...fields.optional({
        name: fields.text('name'),
        tpu: fields.text('tpu'),
        numOfHosts: fields.integer('num-of-hosts'),
      }),
      replicas: fields.integer('replicas') ?? 0,
    };
    fields.finish();
    return group;
  });
}

function readNode(fields: ConfigFields): NodeConfig {
  return fields.optional({
    cpu: fields.text('cpu'),
    memory: fields.text('memory'),
    gpu: fields.text('gpu'),
    ephemeralStorage: fields.text('ephemeral-storage'),
    rayStartParams: fields.map('ray-start-params'),
    nodeSelectors: fields.map('node-selectors'),
  });
}

function readAutoscaler(fields: ConfigFields | undefined): AutoscalerVersion | undefined {
  const version = fields?.text('version')?.toLowerCase();
  fields?.finish();
  if (version === undefined || version === 'v1' || version === 'v2') return version;
  throw usageError(`failed to validate config file: autoscaler.version "${version}" must be one of "v1" or "v2"`);
}

function readGcsfuse(gke: ConfigFields | undefined): GcsfuseConfig | undefined {
  const fields = gke?.fields('gcsfuse');
  gke?.finish();
  if (fields === undefined) return undefined;
  const resources = fields.fields('resources');
  const config = {
    bucketName: fields.text('bucket-name') ?? '',
    mountPath: fields.text('mount-path') ?? '',
    ...fields.optional({
      mountOptions: fields.text('mount-options'),
      disableMetrics: fields.flag('disable-metrics'),
      metadataPrefetchOnMount: fields.flag('gcsfuse-metadata-prefetch-on-mount'),
      skipCsiBucketAccessCheck: fields.flag('skip-csi-bucket-access-check'),
    }),
    ...(resources !== undefined && {
      resources: resources.optional({
        cpu: resources.text('cpu'),
        memory: resources.text('memory'),
        ephemeralStorage: resources.text('ephemeral-storage'),
      }),
    }),
  };
  resources?.finish();
  fields.finish();
  return config;
}
