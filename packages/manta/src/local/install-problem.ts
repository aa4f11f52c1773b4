const BY_HAND = (requirement: string) =>
  `Or install it where there is a network (python3 -m venv FOLDER && FOLDER/bin/pip install '${requirement}') and set MANTA_RAY_VENV=FOLDER.`;

/** Says in plain words why pip could not install Ray, and what to do about it. */
export function explainInstall(requirement: string, folder: string, said: string): string {
  const versions = /\(from versions: ([^)]*)\)/.exec(said)?.[1];
  if (/No space left on device/i.test(said))
    return `The disk with ${folder} is full: Ray needs about 1 GB there. Make room, or set MANTA_CACHE to a folder with more of it.`;
  if (versions === 'none' && /Retrying|connection|resolve/i.test(said))
    return `No package index answers, so Ray cannot be installed. Connect to the Internet, or name an index that can be reached in PIP_INDEX_URL. ${BY_HAND(requirement)}`;
  if (versions !== undefined && versions !== 'none') {
    const newest = versions.split(', ').slice(-3).join(', ');
    return `There is no ${requirement} for this Python; the newest are ${newest}. Set MANTA_RAY_VERSION to one of them, or unset it.`;
  }
  const words = said.trimEnd().split('\n').slice(-5).join('\n');
  return `Ray could not be installed into ${folder}:\n${words}\nMake a package index reachable (pip config), install python3-venv where it is missing, or set MANTA_RAY_VENV.`;
}
