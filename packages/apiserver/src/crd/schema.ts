/** Schemas and CEL rules of CRDs without a server, for programs that check objects themselves. */
export { type CompiledSchema, compileSchema } from './compile-schema.ts';
