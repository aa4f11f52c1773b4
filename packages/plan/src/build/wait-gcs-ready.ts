import { type Container, ContainerName } from '@manta/api';
import type { BuildContext } from './context.ts';
import { type PodDraft, rayContainerOf, withSpec } from './pod-draft.ts';
import { bash } from './shell.ts';
import { shellWord } from './shell-word.ts';

/** Fixed and small: they must fit any quota and must not request the Ray container's GPUs. */
const RESOURCES = { cpu: '200m', memory: '256Mi' } as const;

/** Delays a worker's Ray until the head responds, so that a slow head does not look like a crashing worker. */
export function withWaitForGcs(draft: PodDraft, headAddress: string, context: BuildContext): PodDraft {
  if (!context.env.initContainerInjection) return draft;
  const { image, imagePullPolicy, securityContext, env, volumeMounts } = rayContainerOf(draft.spec);
  const wait: Container = {
    name: ContainerName.WaitGcsReady,
    ...(image === undefined ? {} : { image }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(securityContext === undefined ? {} : { securityContext }),
    ...(env === undefined ? {} : { env }),
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
    command: bash(context),
    args: [waitScript(headAddress)],
    resources: { limits: RESOURCES, requests: RESOURCES },
  };
  return withSpec(draft, { initContainers: [...(draft.spec.initContainers ?? []), wait] });
}

/** Silent for two minutes, then prints Ray's output, so that the log shows the cause. */
function waitScript(headAddress: string): string {
  const check = `ray health-check --address ${shellWord(headAddress)}`;
  const help =
    'For troubleshooting, refer to the FAQ at https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html.';
  return `
SECONDS=0
while true; do
  if (( SECONDS <= 120 )); then
    if ${check} > /dev/null 2>&1; then
      echo "GCS is ready."
      break
    fi
    echo "$SECONDS seconds elapsed: Waiting for GCS to be ready."
  else
    if ${check}; then
      echo "GCS is ready. Any error messages above can be safely ignored."
      break
    fi
    echo "$SECONDS seconds elapsed: Still waiting for GCS to be ready. ${help}"
  fi
  sleep 5
done
`.trim();
}
