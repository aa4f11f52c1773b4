/** Why Ray can't be had on this machine, and what to do. */
export class RayMissingError extends Error {
  override readonly name = 'RayMissingError';
}

/** What an environment takes, with what pip fetches for it. */
export const NEEDED_BYTES = 700_000_000;
/** The same, to be said beforehand. */
export const SIZES = 'about 120 MB to fetch, 500 MB on the disk';

const BY_HAND = (requirement: string) =>
  `Or install it where there is a network (python3 -m venv FOLDER && FOLDER/bin/pip install '${requirement}') and set MANTA_RAY_VENV=FOLDER.`;

/** What pip says when the way to the index is closed, or breaks. */
const NO_NETWORK =
  /Retrying \(|NewConnectionError|NameResolutionError|Max retries exceeded|ProxyError|Read timed out|Connection (?:broken|aborted|reset)|IncompleteRead/i;

/** What was to be installed where, and what to do where there is no such version. */
export interface Wanted {
  readonly requirement: string;
  readonly folder: string;
  readonly advice: string;
}

/** Says in plain words why pip could not install Ray, and what to do about it. */
export function explainInstall({ requirement, folder, advice }: Wanted, said: string): string {
  const versions = /\(from versions: ([^)]*)\)/.exec(said)?.[1];
  if (/No space left on device/i.test(said)) return whyNoRoom(folder);
  if (/CERTIFICATE_VERIFY_FAILED/i.test(said))
    return `The package index shows a certificate that this machine does not trust, so Ray cannot be installed. Name the certificates of your network in PIP_CERT. ${BY_HAND(requirement)}`;
  if (versions !== undefined && versions !== 'none') {
    const newest = versions.split(', ').slice(-3).join(', ');
    return `There is no ${requirement} for this Python; the newest are ${newest}. ${advice}`;
  }
  if (NO_NETWORK.test(said))
    return versions === 'none'
      ? `No package index answers, so Ray cannot be installed. Connect to the Internet, or name an index that can be reached in PIP_INDEX_URL. ${BY_HAND(requirement)}`
      : `The connection to the package index broke while Ray was fetched. Try again. ${BY_HAND(requirement)}`;
  const words = said.trimEnd().split('\n').slice(-5).join('\n');
  return `Ray could not be installed into ${folder}:\n${words}\nMake a package index reachable (pip config), install python3-venv where it is missing, or set MANTA_RAY_VENV.`;
}

/** Says that there is too little room, and how much there is where that is known. */
export function whyNoRoom(folder: string, freeBytes?: number): string {
  const state = freeBytes === undefined ? 'is full' : `has ${Math.floor(freeBytes / 1e6)} MB left`;
  return `The disk with ${folder} ${state}: Ray needs about ${NEEDED_BYTES / 1e6} MB there. Make room, or set MANTA_CACHE to a folder with more of it.`;
}
