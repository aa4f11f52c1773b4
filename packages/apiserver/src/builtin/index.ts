export type { BuiltinKind } from './kind.ts';
export { builtinKinds } from './kinds.ts';
export { builtinSchema, resolveBuiltin } from './schemas.ts';
export { createBuiltinStrategy } from './strategy.ts';
