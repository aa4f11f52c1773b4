/** Who wrote a field, as `metadata.managedFields` names it; the same name as KubeRay's plugin, so that either may go on with the other's objects. */
export const FIELD_MANAGER = 'ray-kubectl-plugin';
