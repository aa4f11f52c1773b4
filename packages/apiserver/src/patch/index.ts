export { type ApplyRequest, serverSideApply } from './apply.ts';
export { applyJsonPatch, jsonPatchWarnings } from './json.ts';
export { withoutTimeOnlyChange } from './managed-fields/keep-times.ts';
export { recordUpdate, type UpdateRecord } from './managed-fields/record-update.ts';
export { withoutManagedFields } from './managed-fields/without-managed-fields.ts';
export { applyMergePatch } from './merge.ts';
export { mergedPatch } from './merged-patch.ts';
export { undecodableResult } from './patch-errors.ts';
export { applyStrategicMergePatch } from './strategic.ts';
