/** Ray's version in manifests that our tools write, unless the user names another. */
export const RAY_VERSION = '2.52.0';
export const IMAGE_REPOSITORY = 'rayproject/ray';
export const DEFAULT_IMAGE = `${IMAGE_REPOSITORY}:${RAY_VERSION}`;
