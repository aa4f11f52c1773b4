import { type Manifest, missingRights, type ObjectPreview, preview, refOfManifest, type World } from '@manta/insight';
import { parse } from 'yaml';
import { CliError, ExitCode, exitCodeOf, Finished, isExpected, messageOf, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { collectWorld } from '../../observe/collect-world.ts';
import { pageStyle } from '../../output/page-style.ts';
import { admitObject, isRecord } from '../manifest/check-object.ts';
import { parseManifests } from '../manifest/parse-manifests.ts';
import { readManifests } from '../manifest/read-manifests.ts';
import { notFound } from '../insight/not-found.ts';
import { planLines } from './plan-lines.ts';
import { planMarkdown } from './plan-markdown.ts';

export interface PlanFlags {
  readonly filename: readonly string[];
  readonly output?: string;
  readonly markdown?: boolean;
}

/** Exit codes of `plan`, in the manner of diff. */
const PlanExit = { Nothing: ExitCode.Ok, Changes: 1, Error: 2 } as const;

/** `plan -f FILE…`: what applying manifests would do. Exit code 0: nothing, 1: changes, 2: an error or a refused manifest. */
export async function plan(call: Invocation, flags: PlanFlags): Promise<void> {
  try {
    await planAll(call, flags);
  } catch (error) {
    // 1 means changes here.
    if (error instanceof Finished || exitCodeOf(error) !== ExitCode.Failed) throw error;
    const text = isExpected(error) || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
    throw new CliError(text, PlanExit.Error, { cause: error });
  }
}

async function planAll(call: Invocation, flags: PlanFlags): Promise<void> {
  if (flags.output !== undefined && flags.output !== 'json' && flags.output !== 'text')
    throw usageError(`-o ${flags.output} is not an output format here. Use text or json.`);
  const namespace = await call.namespace();
  const objects = (await readManifests(call, flags.filename)).flatMap(parseManifests);
  const manifests = objects
    .filter((object) => refOfManifest(object) !== undefined)
    .map((each) => inNamespace(each, namespace));
  if (manifests.length === 0) throw usageError(`no Ray object is in ${flags.filename.join(', ')}.`);
  const others = objects.filter((object) => refOfManifest(object) === undefined).map(({ kind }) => String(kind));
  const { previews, rights } = await previewAll(call, manifests);
  if (flags.output === 'json') call.print(JSON.stringify({ objects: previews, notRead: rights }, null, 2));
  else if (flags.markdown === true) call.print(planMarkdown(previews, rights).join('\n'));
  else call.print(planLines(previews, rights, pageStyle(call)).join('\n'));
  if (others.length > 0) call.say(`Not planned, because only Ray kinds are: ${[...new Set(others)].join(', ')}`);
  if (previews.some(({ verdict }) => verdict === 'reject')) throw new Finished(PlanExit.Error);
  if (previews.some(({ verdict }) => verdict !== 'nothing')) throw new Finished(PlanExit.Changes);
}

/** Namespaces are read one by one: a right in one of them is enough for its manifests. */
async function previewAll(
  call: Invocation,
  manifests: readonly Manifest[],
): Promise<{ readonly previews: readonly ObjectPreview[]; readonly rights: readonly string[] }> {
  const previews: ObjectPreview[] = [];
  const rights: string[] = [];
  for (const namespace of new Set(manifests.map(namespaceOf))) {
    const world = await collectWorld(call, { namespace });
    const own = manifests.filter((manifest) => namespaceOf(manifest) === namespace);
    await checkReadable(call, world, own);
    previews.push(
      ...preview(world, own, {
        parseYaml: (text): unknown => parse(text),
        admit: (object) => admitObject({ ...object }),
      }).objects,
    );
    rights.push(...missingRights(world).filter((right) => USED.test(right)));
  }
  return { previews, rights };
}

/** Parts of the world that a preview starts from. */
const USED = /^list (pods|services|jobs|persistentvolumeclaims|gateways|httproutes)\b/;

/** Without the current version of an object there is nothing to compare with. */
async function checkReadable(call: Invocation, world: World, manifests: readonly Manifest[]): Promise<void> {
  const parts = {
    RayCluster: world.rayClusters,
    RayJob: world.rayJobs,
    RayService: world.rayServices,
    RayCronJob: world.rayCronJobs,
  };
  for (const manifest of manifests) {
    const ref = refOfManifest(manifest);
    if (ref !== undefined && parts[ref.kind].kind !== 'seen') throw await notFound(call, world, ref);
  }
}

function inNamespace(manifest: Manifest, namespace: string): Manifest {
  const metadata = isRecord(manifest['metadata']) ? manifest['metadata'] : {};
  return { ...manifest, metadata: { ...metadata, namespace: metadata['namespace'] ?? namespace } };
}

function namespaceOf(manifest: Manifest): string {
  return refOfManifest(manifest)?.namespace ?? '';
}
