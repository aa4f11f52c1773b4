import { RayServiceEventReason, validateRayServiceMetadata, validateRayServiceSpec } from '@manta/api';
import { type Action, validationWarning } from '../plan.ts';
import { fullName, type ServiceState } from './service-state.ts';

/** What is wrong with a service, in a sentence, and the event that tells it; undefined when it is fine. */
export function checkRayService(
  state: ServiceState,
): { readonly message: string; readonly action: Action } | undefined {
  const { service, context, name } = state;
  const metadata = validateRayServiceMetadata(service.metadata);
  const { InvalidRayServiceMetadata, InvalidRayServiceSpec } = RayServiceEventReason;
  const wrong = metadata ?? validateRayServiceSpec(service.spec, service.metadata?.annotations, context.gates);
  if (wrong === undefined) return undefined;
  const reason = metadata === undefined ? InvalidRayServiceSpec : InvalidRayServiceMetadata;
  return {
    message: wrong.message,
    action: validationWarning(reason, `${fullName(state, name)}: ${wrong.message}`),
  };
}
