export * from './cause.ts';
export { goJson, goNumber } from './go-json.ts';
export * from './names.ts';
export { type MetaRules, validateLabels, validateMeta, validateMetaUpdate } from './object-meta.ts';
