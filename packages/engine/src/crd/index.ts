export { crdColumns } from './columns.ts';
export { compileSchema, type CompiledSchema } from './compile-schema.ts';
export { convertVersion } from './convert-version.ts';
export { crdResourceInfo } from './crd-info.ts';
export { createCrdStrategy } from './crd-strategy.ts';
export { type CrdScale, crdVersions, type CrdVersion } from './crd-version.ts';
export { humanDuration } from './human-duration.ts';
export { compileJsonPath } from './json-path.ts';
export { compareVersions } from './version-order.ts';
