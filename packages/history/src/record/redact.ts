type Json = unknown;

/** What stands in a recorded object in place of a value that may be secret. */
export const REDACTED = '<redacted>';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Texts in which users set environment variables for their code. */
const WITH_VARIABLES: readonly string[] = ['runtimeEnvYAML', 'serveConfigV2'];

/**
 * A Ray object as it is recorded. Values of environment variables are replaced, because users put passwords there; their names stay. A Serve
 * configuration or runtime environment that sets variables is replaced as a whole. managedFields and kubectl's copy of the manifest are left out.
 */
export function redact(object: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const { metadata, ...rest } = object;
  return { metadata: withoutNoise(metadata), ...redactObject(rest) };
}

function redactObject(object: object): Readonly<Record<string, Json>> {
  const result: Record<string, Json> = Object.create(null);
  for (const [key, value] of Object.entries(object)) {
    // A merge patch cannot tell a null from a field that is absent.
    if (value === null) continue;
    result[key] = redactField(key, value);
  }
  return result;
}

function redactField(key: string, value: Json): Json {
  if (key === 'env' && Array.isArray(value)) return value.map(redactVariable);
  if (WITH_VARIABLES.includes(key) && typeof value === 'string') return value.includes('env_vars') ? REDACTED : value;
  return redactValue(value);
}

function redactValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(redactValue);
  return typeof value === 'object' && value !== null ? redactObject(value) : value;
}

function redactVariable(variable: Json): Json {
  if (typeof variable !== 'object' || variable === null || !('value' in variable)) return redactValue(variable);
  return { ...redactObject(variable), value: REDACTED };
}

function withoutNoise(metadata: Json): Readonly<Record<string, Json>> {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const result: Record<string, Json> = { ...redactObject(metadata) };
  delete result['managedFields'];
  // It changes with every version and says nothing by itself.
  delete result['resourceVersion'];
  const { annotations } = result;
  if (typeof annotations === 'object' && annotations !== null)
    result['annotations'] = Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED));
  return result;
}
