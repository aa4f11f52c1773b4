/** Mutual TLS: what we manage may not be set by hand. */
import type { EnvVar, VolumeMount } from '../core.gen.ts';
import { EnvName } from '../env.ts';
import { goQuote } from '../go-quote.ts';
import { isSet, type Loose } from '../loose.ts';
import { isTlsEnabled } from '../predicates.ts';
import { MountPath, VolumeName } from '../volumes.ts';
import { type FieldError, fieldError, firstErrorOf } from './field-error.ts';
import { type ClusterInput, firstGroupError, hasEnv, mountsOf, rayContainerOf } from './input.ts';

const MANAGED_NAMES = [EnvName.UseTls, EnvName.TlsServerCert, EnvName.TlsServerKey, EnvName.TlsCaCert];
const REASON = 'when tlsOptions is set - the operator manages TLS configuration';

/** All rules on TLS, in their order. */
export function checkTls(input: ClusterInput): FieldError | undefined {
  const { spec, gates, at } = input;
  if (isSet(spec?.tlsOptions) && !gates.RayClusterMTLS) {
    const message = 'spec.tlsOptions requires the RayClusterMTLS feature gate to be enabled';
    return fieldError(`${at}.tlsOptions`, message);
  }
  if (!isTlsEnabled(spec, gates)) return undefined;
  const rayContainer = 'template.spec.containers[0]';
  return (
    checkContainer(rayContainerOf(spec?.headGroupSpec), 'head Pod', `${at}.headGroupSpec.${rayContainer}`) ??
    firstGroupError(input, ({ group, name, at: path }) =>
      checkContainer(rayContainerOf(group), `worker group ${goQuote(name)}`, `${path}.${rayContainer}`),
    ) ??
    checkAutoscaler(input)
  );
}

/** The part of a container that could clash with ours. */
type Wiring = Loose<{ readonly env?: readonly EnvVar[]; readonly volumeMounts?: readonly VolumeMount[] }>;

function checkContainer(container: Wiring, where: string, path: string): FieldError | undefined {
  return (
    checkEnv(container, where, `${path}.env`, `${REASON} automatically`) ??
    checkMounts(container, where, `${path}.volumeMounts`)
  );
}

function checkAutoscaler({ spec, at }: ClusterInput): FieldError | undefined {
  const options = spec?.autoscalerOptions;
  const path = `${at}.autoscalerOptions`;
  const reason = `${REASON} for the autoscaler automatically`;
  return (
    checkEnv(options, 'autoscalerOptions.env', `${path}.env`, reason) ??
    checkMounts(options, 'autoscalerOptions.volumeMounts', `${path}.volumeMounts`)
  );
}

function checkEnv(container: Wiring, where: string, path: string, reason: string): FieldError | undefined {
  const name = MANAGED_NAMES.find((managed) => hasEnv(container?.env, managed));
  return name === undefined
    ? undefined
    : fieldError(path, `cannot set ${name} environment variable in ${where} ${reason}`);
}

function checkMounts(container: Wiring, where: string, path: string): FieldError | undefined {
  return firstErrorOf(mountsOf(container), (mount, index) => {
    const clash =
      (mount?.name === VolumeName.Tls && `named "${VolumeName.Tls}"`) ||
      (mount?.mountPath === MountPath.Tls && `at path "${MountPath.Tls}"`);
    if (!clash) return undefined;
    return fieldError(`${path}[${index}]`, `cannot use volume mount ${clash} in ${where} ${REASON} automatically`);
  });
}
