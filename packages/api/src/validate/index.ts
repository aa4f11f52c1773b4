export { admitRayCluster, admitRayJob, admitRayService, type InvalidStatus, type StatusCause } from './admit.ts';
export { warnAboutRayCluster, warnAboutRayJob, warnAboutRayService } from './admission-warnings.ts';
export type { FieldError } from './field-error.ts';
export {
  bracketed,
  byteLength,
  dns1035LabelErrors,
  dns1123LabelErrors,
  labelKeyErrors,
  labelValueErrors,
} from './kubernetes-names.ts';
export {
  validateRayClusterMetadata,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
  validateRayClusterStatus,
  validateRayClusterUpgradeStrategy,
  warnAboutRayClusterSpec,
} from './raycluster.ts';
export { validateRayCronJob } from './raycronjob.ts';
export { validateRayJobMetadata, validateRayJobSpec, validateRayJobStatus } from './rayjob.ts';
export { validateRayServiceMetadata, validateRayServiceSpec } from './rayservice.ts';
export { runtimeEnvProblem, type YamlParser } from './runtime-env.ts';
