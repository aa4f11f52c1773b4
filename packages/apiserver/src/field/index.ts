export * from './cause.ts';
export { GoStruct, goJson, goNumber } from './go-json.ts';
export * from './names.ts';
export { type MetaRules, validateLabels, validateMeta, validateMetaUpdate } from './object-meta.ts';
