import { lastWords, shortened } from './last-words.ts';

/**
 * Ray's words when it cannot set up a runtime environment. Mentioning one is not enough: the log of every job does, and a job may run pip
 * itself.
 */
const SETUP_FAILED = /runtime_env setup failed|Failed to set up runtime environment|RuntimeEnvSetupError/;
/** The installers say which package has no distribution in these words. */
const MISSING =
  /No matching distribution found for ([^\s'"]+)|that satisfies the requirement ([^\s'"]+)|Because ([^\s'"]+) was not found in the package registry/;
const UNREACHABLE = /Retrying \(Retry\(|NewConnectionError|NameResolutionError|Max retries exceeded|Failed to fetch: /;
const CONFLICT = /ResolutionImpossible|conflicting dependencies|No solution found when resolving/;
/** Spaces and tabs only: with line breaks, a text of empty lines would take quadratic time. */
const ERROR = /^[ \t]*(?:ERROR|error): (.+)$/gm;
const MAX_NAME = 200;

/** Why pip or uv could not install the packages of a runtime environment, in a sentence; undefined if the text is about something else. */
export function pipFailure(text: string): string | undefined {
  if (!SETUP_FAILED.test(text) || !/\b(?:pip|uv)\b/.test(text)) return undefined;
  const missing = MISSING.exec(text);
  const error = [...text.matchAll(ERROR)].at(-1)?.[1];
  if (missing === null && error === undefined && !CONFLICT.test(text)) return undefined;
  const installer = /\buv pip\b|'uv'|\/uv\b/.test(text) ? 'uv' : 'pip';
  const packages = missing?.slice(1).find((name) => name !== undefined) ?? 'the packages of the runtime_env';
  return `${installer} could not install ${shortened(packages, MAX_NAME)}: ${reason(text, missing !== null, error)}`;
}

function reason(text: string, isMissing: boolean, error: string | undefined): string {
  if (UNREACHABLE.test(text)) return 'the package index cannot be reached';
  if (CONFLICT.test(text)) return 'the versions conflict';
  return isMissing ? 'no matching distribution' : lastWords(error ?? '');
}
