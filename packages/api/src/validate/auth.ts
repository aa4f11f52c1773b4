/** Authentication: the Ray version must know it, and options must not contradict each other. */
import { textOf } from '../loose.ts';
import { isAuthEnabled, isK8sAuthEnabled } from '../predicates.ts';
import { isAtLeast, parseVersion } from '../version.ts';
import { type FieldError, fieldError } from './field-error.ts';
import type { ClusterInput } from './input.ts';

/** All rules on authentication, in their order. */
export function checkAuth({ spec, at }: ClusterInput): FieldError | undefined {
  const k8sAuth = isK8sAuthEnabled(spec);
  if (!isAuthEnabled(spec)) {
    if (!k8sAuth) return undefined;
    const message = "authOptions.enableK8sTokenAuth is enabled but authOptions.mode not set to 'token'";
    return fieldError(`${at}.authOptions.mode`, message);
  }
  const rayVersion = textOf(spec?.rayVersion);
  const problem = versionProblem(rayVersion, k8sAuth);
  if (problem !== undefined) return fieldError(`${at}.rayVersion`, problem);
  if (k8sAuth && textOf(spec?.authOptions?.secretName) !== '') {
    const message = 'authOptions.enableK8sTokenAuth is enabled and authOptions.secretName is also set';
    return fieldError(`${at}.authOptions.secretName`, message);
  }
  return undefined;
}

function versionProblem(rayVersion: string, k8sAuth: boolean): string | undefined {
  const mode = "authOptions.mode is 'token' but";
  if (rayVersion === '') return `${mode} RayVersion was not specified. Ray version 2.52.0 or later is required`;
  const version = parseVersion(rayVersion);
  if (!version.ok) return `${mode} RayVersion format is invalid: ${rayVersion}, ${version.error}`;
  if (!isAtLeast(version.value, [2, 52, 0])) return `${mode} minimum Ray version is 2.52.0, got ${rayVersion}`;
  if (k8sAuth && !isAtLeast(version.value, [2, 55, 0])) {
    return `authOptions.enableK8sTokenAuth is enabled but minimum Ray version is 2.55.0, got ${rayVersion}`;
  }
  return undefined;
}
