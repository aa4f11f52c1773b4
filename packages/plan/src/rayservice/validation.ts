import { RayServiceEventReason, validateRayServiceMetadata, validateRayServiceSpec } from '@manta/api';
import { type Action, validationWarning } from '../plan.ts';
import { fullName, type ServiceState } from './service-state.ts';

/** The first validation error, and the event that reports it. */
export interface InvalidService {
  readonly message: string;
  readonly action: Action;
}

/** Undefined when metadata and spec are valid. */
export function validateService(state: ServiceState): InvalidService | undefined {
  const { service, context, name } = state;
  const metadata = validateRayServiceMetadata(service.metadata);
  const { InvalidRayServiceMetadata, InvalidRayServiceSpec } = RayServiceEventReason;
  const error = metadata ?? validateRayServiceSpec(service.spec, service.metadata?.annotations, context.gates);
  if (error === undefined) return undefined;
  const reason = metadata === undefined ? InvalidRayServiceSpec : InvalidRayServiceMetadata;
  return {
    message: error.message,
    action: validationWarning(reason, `${fullName(state, name)}: ${error.message}`),
  };
}
