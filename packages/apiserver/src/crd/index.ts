export { crdColumns } from './columns.ts';
export { type CompiledSchema, compileSchema } from './compile-schema.ts';
export { convertVersion } from './convert-version.ts';
export { crdResourceInfo } from './crd-info.ts';
export { createCrdStrategy } from './crd-strategy.ts';
export { type CrdScale, type CrdVersion, crdVersions } from './crd-version.ts';
export { compileJsonPath } from './json-path.ts';
export { validateCrd, validateCrdUpdate } from './validate-crd.ts';
export { compareVersions } from './version-order.ts';
