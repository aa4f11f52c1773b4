import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { messageOf } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
}

const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
};

/** `version`: the plugin's own version and that of the operator; an operator that cannot be found is a warning, not a failure. */
export async function version(call: Invocation): Promise<void> {
  call.print(`kubectl ray plugin version: ${call.world.version}`);
  try {
    call.print(`KubeRay operator version: ${await operatorVersion(call)}`);
  } catch (error) {
    call.print(
      `warning: KubeRay operator installation cannot be found: ${messageOf(error)}. Did you install it with the name "kuberay-operator"?`,
    );
  }
}

async function operatorVersion(call: Invocation): Promise<string> {
  const client = await call.client();
  const labelSelector = 'app.kubernetes.io/name in (kuberay-operator,kuberay)';
  const { items } = await client.list(deployments, { labelSelector });
  const [first] = items;
  if (first === undefined) throw new Error('no KubeRay operator deployments found in any namespace');
  const image = first.spec?.template?.spec?.containers?.[0]?.image;
  if (image === undefined) throw new Error('no containers found in KubeRay operator deployment');
  return imageVersion(image);
}

/** The tag of an image, with its digest where it has one; the digest alone where it has no tag; `latest` where it has neither. */
export function imageVersion(image: string): string {
  const [, tag, digest] = /^(?:[^@]*\/)?[^/:@]+(?::([^@]+))?(?:@(.+))?$/.exec(image) ?? [];
  if (tag !== undefined) return digest === undefined ? tag : `${tag}@${digest}`;
  return digest ?? 'latest';
}
