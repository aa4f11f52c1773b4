import { mkdir, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot } from '../../fetch/kube/cache.ts';
import { findGo, type GoToolchain } from '../../fetch/kube/go-toolchain.ts';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { kubernetesVersion as release } from '../../fetch/kube/programs.ts';
import { Progress } from '../../fetch/kube/progress.ts';
import { lastLines, run } from '../../fetch/kube/run.ts';

/** The Kubernetes release whose API we generate from: the one that we test on. */
export const kubernetesVersion = `v${release}`;

/** The part of an OpenAPI v3 schema that Kubernetes' documents use. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

/** Schemas by their full name, e.g. `io.k8s.api.core.v1.Pod`. */
export type SchemaIndex = ReadonlyMap<string, OpenApiSchema>;

const groups = [
  'api__v1',
  'apis__apiextensions.k8s.io__v1',
  'apis__batch__v1',
  'apis__coordination.k8s.io__v1',
  'apis__discovery.k8s.io__v1',
  'apis__events.k8s.io__v1',
  'apis__networking.k8s.io__v1',
  'apis__rbac.authorization.k8s.io__v1',
] as const;

/** Reads Kubernetes' published OpenAPI documents from its Go module, which Go downloads, verifies and keeps for us. */
export async function loadKubernetesSchemas(): Promise<SchemaIndex> {
  const folder = join(await moduleFolder(`k8s.io/kubernetes@${kubernetesVersion}`), 'api', 'openapi-spec', 'v3');
  const schemas = new Map<string, OpenApiSchema>();
  for (const group of groups) {
    const document: { components: { schemas: Record<string, OpenApiSchema> } } = JSON.parse(
      await readFile(join(folder, `${group}_openapi.json`), 'utf8'),
    );
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas.set(name, schema);
  }
  return schemas;
}

/** The full name that a schema refers to, whether by a plain `$ref` or by one wrapped in `allOf` (a reference with a default). */
export function referenceOf(schema: OpenApiSchema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference?.slice(reference.lastIndexOf('/') + 1);
}

/** The folder of a Go module, named `path@version`. */
export async function moduleFolder(target: string): Promise<string> {
  const go = await provideGo();
  const { code, stdout, stderr } = await run(go.command, ['mod', 'download', '-json', target], {
    cwd: tmpdir(),
    env: go.env,
  });
  if (code !== 0) {
    throw new Error(
      `Go could not download ${target}, which the generator reads:\n${lastLines(stderr || stdout, 5)}\n` +
        'Check that the module proxy (GOPROXY) can be reached.',
    );
  }
  const { Dir }: { Dir: string } = JSON.parse(stdout);
  return Dir;
}

async function provideGo(): Promise<GoToolchain> {
  const cache = join(cacheRoot(process.env, homedir()), 'kube');
  const progress = new Progress(process.stderr);
  const onWait = () => progress.say(`another process uses ${cache}: waiting for it…`);
  await mkdir(cache, { recursive: true });
  return withLock(join(cache, 'build.lock'), onWait, () => findGo(cache, process.env, progress));
}
