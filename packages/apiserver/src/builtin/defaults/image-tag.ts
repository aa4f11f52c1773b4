const part = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const host =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\\.(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?))*(?::[0-9]+)?|\\[[a-fA-F0-9:]+\\](?::[0-9]+)?';
const reference = new RegExp(
  `^(?:(${host})/)?(${part}(?:/${part})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

/** Whether an image is the latest of its name, so that it is pulled every time; an image that cannot be read is not. */
export function isLatestImage(image: string): boolean {
  const match = reference.exec(image);
  if (match === null || /^[a-f0-9]{64}$/.test(image)) return false;
  const [, , , tag, digest] = match;
  return tag === 'latest' || (tag === undefined && digest === undefined);
}
