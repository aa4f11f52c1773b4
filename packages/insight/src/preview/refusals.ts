import {
  admitRayCluster,
  admitRayJob,
  admitRayService,
  type FeatureGates,
  validateRayClusterSpec,
  validateRayCronJob,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayServiceMetadata,
  validateRayServiceSpec,
  isRecord,
} from '@manta/api';
import type { RayObjectKind } from '../world.ts';
import type { Manifest, PreviewOptions } from './types.ts';

/** Why the operator or its webhooks refuse an object; none if they accept it. */
export function refusalsOf(
  kind: RayObjectKind,
  object: Manifest,
  gates: FeatureGates,
  parseYaml: PreviewOptions['parseYaml'],
): readonly string[] {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const { annotations } = metadata;
  switch (kind) {
    case 'RayCluster':
      return texts(admitRayCluster(object), validateRayClusterSpec(spec, annotations, gates));
    case 'RayJob':
      return texts(
        admitRayJob(object),
        validateRayJobMetadata(metadata),
        validateRayJobSpec(spec, annotations, gates, parseYaml),
      );
    case 'RayService':
      return texts(
        admitRayService(object),
        validateRayServiceMetadata(metadata),
        validateRayServiceSpec(spec, annotations, gates),
      );
    case 'RayCronJob':
      return texts(undefined, validateRayCronJob(object, gates, parseYaml));
  }
}

function texts(
  status: ReturnType<typeof admitRayJob>,
  ...errors: readonly ({ readonly message: string } | undefined)[]
): readonly string[] {
  const causes = (status?.details.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  return [...new Set([...causes, ...errors.flatMap((error) => error?.message ?? [])])];
}
