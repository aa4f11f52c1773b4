import type { RayCluster, RayCronJob, RayJob, RayService } from '@manta/api';
import {
  createKubeClient,
  createTransport,
  isNotFound,
  type KubeClient,
  loadConnection,
  resources,
  systemClock,
} from '@manta/kube';
import type { Command } from 'commander';
import { stringify } from 'yaml';

interface BackupOptions {
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly endedJobs?: boolean;
}

/** Adds the options of `manta backup` to the command line. */
export function describeBackup(command: Command): void {
  command
    .option('--kubeconfig <file>', 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config')
    .option('-n, --namespace <name>', 'only this namespace; else all')
    .option('--ended-jobs', 'include RayJobs that have ended; restored, they run again')
    .action(printBackup);
}

async function printBackup(options: BackupOptions): Promise<void> {
  const connection = await loadConnection({ kubeconfig: options.kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta' });
  try {
    const objects = await objectsToKeep(createKubeClient({ transport, clock: systemClock }), options);
    for (const object of objects)
      process.stdout.write(`---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })}`);
    process.stderr.write(`manta: ${objects.length} Ray objects\n`);
  } finally {
    await transport.close();
  }
}

type RayObject = RayCluster | RayCronJob | RayJob | RayService;

/** RayCronJobs come last: they create RayJobs as soon as they exist. */
const KINDS = [resources.rayClusters, resources.rayServices, resources.rayJobs, resources.rayCronJobs] as const;

/** The Ray objects that users created, as manifests: without status, and without what the API server or another object gave them. */
async function objectsToKeep(client: KubeClient, options: BackupOptions): Promise<readonly object[]> {
  const scope = options.namespace === undefined ? {} : { namespace: options.namespace };
  const kept: object[] = [];
  for (const type of KINDS) {
    const { items } = await client.list<RayObject>(type, scope).catch((error: unknown) => {
      // An older installation does not have every kind.
      if (isNotFound(error)) return { items: [] };
      throw error;
    });
    const wanted = items.filter((object) => !isOwned(object) && !isBeingDeleted(object));
    const running = wanted.filter((object) => options.endedJobs === true || !hasEnded(object));
    kept.push(...running.map((object) => manifestOf(object, type)));
  }
  return kept;
}

/** The owner recreates it. */
function isOwned({ metadata }: RayObject): boolean {
  return metadata?.ownerReferences?.some(({ controller }) => controller === true) === true;
}

function isBeingDeleted({ metadata }: RayObject): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Only RayJobs end. */
function hasEnded({ status }: RayObject): boolean {
  if (status === undefined || !('jobDeploymentStatus' in status)) return false;
  return ['Complete', 'Failed'].includes(status.jobDeploymentStatus ?? '');
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function manifestOf(
  object: RayObject,
  type: { readonly group: string; readonly version: string; readonly kind: string },
) {
  const { name, namespace, labels, annotations = {} } = object.metadata ?? {};
  const { [LAST_APPLIED]: _applied, ...own } = annotations;
  return {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(own).length === 0 ? {} : { annotations: own }),
    },
    spec: object.spec,
  };
}
