import { basename, resolve } from 'node:path';
import type { RayJob, Secret } from '@manta/api';
import { isForbidden, mayI, resources } from '@manta/kube';
import { CliError, failedTo, usageError } from '../../cli-error.ts';
import { FIELD_MANAGER } from '../../field-manager.ts';
import type { Invocation } from '../../invocation.ts';
import { fileLines, type Package, sizeText } from '../../pack/pack-directory.ts';
import { packageSecretName } from './run-job.ts';
import type { Delivery, RunFlags } from './run-flags.ts';

/** A Secret holds at most 1 MiB, in base64. */
const MAX_SECRET_BYTES = 700_000;

/** Prints what is packed: number of files, sizes, the largest files, and what is left out. */
export function describePackage(call: Invocation, dir: string, packed: Package): void {
  const { fileCount, totalBytes, bytes, largest, skipped } = packed;
  for (const one of skipped) call.say(`${one} is left out`);
  call.say(
    `Packed ${dir}: ${fileCount} ${fileCount === 1 ? 'file' : 'files'}, ${sizeText(totalBytes)}, ${sizeText(bytes.length)} compressed. Largest:`,
  );
  for (const line of fileLines(largest)) call.say(line);
}

/**
 * Decides how the package reaches Ray. A Secret survives the head, so that the operator can retry on a new one; it needs a small package,
 * a cluster of the job's own and the right to create Secrets.
 */
export async function chooseDelivery(
  call: Invocation,
  namespace: string,
  packed: Package,
  flags: RunFlags,
): Promise<Delivery> {
  if (flags.on !== undefined) {
    if (flags.retries > 0)
      throw usageError('--retries cannot be combined with --on: a retry needs a cluster of its own. Leave one out.');
    return 'upload';
  }
  const isSmall = packed.bytes.length <= MAX_SECRET_BYTES;
  if (isSmall && (flags.dryRun === true || (await mayCreateSecrets(call, namespace)))) return 'secret';
  const reason = isSmall
    ? `you may not create Secrets in namespace ${namespace}`
    : `the package is larger than ${MAX_SECRET_BYTES / 1000} KB and does not fit into a Secret`;
  if (flags.retries > 0)
    throw new CliError(
      `--retries ${flags.retries} is not possible: ${reason}, so nothing could send it to a new head. ` +
        `${isSmall ? 'Ask for the right to create Secrets' : 'List what the job does not need in .rayignore, put it into the image'}, or leave --retries out.`,
      isSmall ? 4 : 2,
    );
  call.say(`No retry after a lost head: ${reason}.`);
  return 'upload';
}

async function mayCreateSecrets(call: Invocation, namespace: string): Promise<boolean> {
  try {
    const client = await call.client();
    const question = { verb: 'create', group: '', resource: 'secrets', namespace };
    return (await mayI(client, question)).isAllowed;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

/** Creates the Secret with the package. The RayJob owns it, so that both are deleted together. */
export async function createPackageSecret(call: Invocation, job: RayJob, packed: Package): Promise<void> {
  const { name = '', namespace = '', uid = '' } = job.metadata ?? {};
  const secret: Secret = {
    metadata: {
      name: packageSecretName(name),
      namespace,
      ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayJob', name, uid, controller: false }],
    },
    immutable: true,
    data: { 'package.zip': packed.bytes.toString('base64') },
  };
  const client = await call.client();
  await client.create(resources.secrets, secret, { fieldManager: FIELD_MANAGER }).catch((error: unknown) => {
    throw failedTo(`the package of rayjob/${name} could not be stored in a Secret`, error);
  });
}

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_PREFIX = 30;

/** A name for a job: that of the directory, and a few random characters. */
export function jobNameFor(dir: string, random: (below: number) => number): string {
  const prefix = basename(resolve(dir))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, MAX_PREFIX)
    .replace(/-+$/, '');
  const suffix = Array.from({ length: 5 }, () => SUFFIX_ALPHABET[random(SUFFIX_ALPHABET.length)]).join('');
  return `${prefix === '' ? 'run' : prefix}-${suffix}`;
}
