import { messageOf } from '@manta/base';
import type { Credentials } from '@manta/kube';
import { parse } from 'yaml';

export type KubeconfigLogin =
  | { readonly isValid: true; readonly credentials: Credentials }
  | { readonly isValid: false; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

/**
 * The credentials in a pasted kubeconfig: the token or the client certificate of its current context. Everything else is ignored or
 * refused: the server is always the console's, files would be the console's, and plugins would run on the console's machine.
 */
export function readKubeconfig(text: string): KubeconfigLogin {
  const config = parseYaml(text);
  if (typeof config === 'string') return invalid(config);
  const name = textOf(config, 'current-context');
  const context = fieldsOf(named(config['contexts'], name), 'context');
  if (context === undefined) return invalid('its current-context is missing or names no context');
  const user = fieldsOf(named(config['users'], textOf(context, 'user')), 'user');
  if (user === undefined) return invalid('its current context names no user that it holds');
  const token = textOf(user, 'token');
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token))
    return { isValid: true, credentials: { headers: { authorization: `Bearer ${token}` } } };
  const cert = pemOf(user, 'client-certificate-data');
  const key = pemOf(user, 'client-key-data');
  if (cert !== undefined && key !== undefined) return { isValid: true, credentials: { headers: {}, cert, key } };
  const unusable = ['exec', 'auth-provider', 'client-certificate', 'tokenFile'].find((field) => field in user);
  return invalid(
    unusable === undefined
      ? 'its user has neither a token nor a client certificate with its key'
      : `its user has ${unusable}, which works on your machine only. Paste a token instead: kubectl create token <account>`,
  );
}

function invalid(problem: string): KubeconfigLogin {
  return { isValid: false, problem: `the kubeconfig cannot be used: ${problem}` };
}

function parseYaml(text: string): Fields | string {
  try {
    // Keys are not compared with each other: that takes quadratic time, and anybody may paste a kubeconfig.
    const value: unknown = parse(text, { maxAliasCount: 10, uniqueKeys: false });
    return isFields(value) ? value : 'it is not a mapping';
  } catch (error) {
    return `it is not YAML (${messageOf(error).split('\n')[0] ?? ''})`;
  }
}

function named(list: unknown, name: string | undefined): unknown {
  return Array.isArray(list) && name !== undefined
    ? list.find((each: unknown) => isFields(each) && each['name'] === name)
    : undefined;
}

function pemOf(fields: Fields, name: string): string | undefined {
  const encoded = textOf(fields, name);
  const pem = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  return pem.startsWith('-----BEGIN ') ? pem : undefined;
}

function fieldsOf(value: unknown, name: string): Fields | undefined {
  const inner = isFields(value) ? value[name] : undefined;
  return isFields(inner) ? inner : undefined;
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
