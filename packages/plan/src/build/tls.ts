import {
  type Container,
  ContainerName,
  EnvName,
  EnvValue,
  MountPath,
  NodeType,
  pkiNames,
  TlsKey,
  VolumeName,
} from '@manta/api';
import { addMissingEnv, envFromField } from './container-env.ts';
import { addMissingMount, addMissingVolume } from './mounts.ts';
import { mapInitContainer, mapRayContainer, type PodDraft, rayContainerOf, withSpec } from './pod-draft.ts';

/** Enables mutual TLS in a container, with its mounted certificate. */
export function withTls(container: Container): Container {
  const wired = addMissingEnv(container, [
    { name: EnvName.UseTls, value: EnvValue.UseTls },
    { name: EnvName.TlsServerCert, value: `${MountPath.Tls}/${TlsKey.Certificate}` },
    { name: EnvName.TlsServerKey, value: `${MountPath.Tls}/${TlsKey.PrivateKey}` },
    { name: EnvName.TlsCaCert, value: `${MountPath.Tls}/${TlsKey.CaCertificate}` },
  ]);
  return addMissingMount(wired, TLS_MOUNT);
}

/** Enables mutual TLS in a pod. An init container waits until the certificate names the pod's address. */
export function withPodTls(draft: PodDraft, cluster: string, nodeType: NodeType): PodDraft {
  const secretName = nodeType === NodeType.Head ? pkiNames.headSecret(cluster) : pkiNames.workerSecret(cluster);
  const volume = { name: VolumeName.Tls, secret: { secretName } };
  const wired = mapInitContainer(mapRayContainer(draft, withTls), ContainerName.WaitGcsReady, withTls);
  return withWaitForCertificate(addMissingVolume(wired, volume));
}

const TLS_MOUNT = { name: VolumeName.Tls, mountPath: MountPath.Tls, readOnly: true } as const;
const SMALL = { cpu: '50m', memory: '64Mi' } as const;

/** Ray does not reload certificates, so it must start with the right one. */
function withWaitForCertificate(draft: PodDraft): PodDraft {
  const { initContainers = [] } = draft.spec;
  if (initContainers.some(({ name }) => name === ContainerName.WaitForTlsIpSan)) return draft;
  const { image, imagePullPolicy, securityContext } = rayContainerOf(draft.spec);
  const wait: Container = {
    name: ContainerName.WaitForTlsIpSan,
    ...(image === undefined ? {} : { image }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(securityContext === undefined ? {} : { securityContext }),
    command: ['sh', '-c'],
    args: [WAIT_SCRIPT],
    env: [envFromField(EnvName.PodIp, 'status.podIP')],
    volumeMounts: [TLS_MOUNT],
    resources: { limits: SMALL, requests: SMALL },
  };
  return withSpec(draft, { initContainers: [wait, ...initContainers] });
}

const WAIT_SCRIPT = `
ip="$POD_IP"
[ -n "$ip" ] || ip=$(hostname -i | cut -d' ' -f1)
if ! command -v openssl >/dev/null 2>&1; then
  echo "openssl not found; cannot verify IP SAN" >&2
  exit 1
fi
pattern=$(printf '%s' "$ip" | sed 's/\\./\\\\./g')
echo "Waiting for TLS cert to include IP SAN for $ip..."
until openssl x509 -in ${MountPath.Tls}/${TlsKey.Certificate} -noout -text 2>/dev/null | grep -Eq "IP Address:$pattern([^0-9.]|$)"; do
  echo "IP SAN for $ip not yet in cert, retrying in 5s..."
  sleep 5
done
echo "TLS cert now includes IP SAN for $ip"
`.trim();
