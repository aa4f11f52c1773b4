import type { BrowserContext } from 'playwright-core';

/** Pictures are kept this small: layout, colours and hierarchy stay visible, and a picture has a few kilobytes. */
export const WIDTH = 320;

/** Share of pixels that look different, from 0 to 1; 1 if the sizes differ. */
export interface Comparison {
  /** The new picture, scaled down, as PNG. */
  readonly small: Buffer;
  readonly difference: number;
}

/** A colour channel may differ by this much: fonts are smoothed differently from machine to machine. */
const CHANNEL_TOLERANCE = 48;

const COMPARE = `async ({ now, before }) => {
  const read = async (base64, width) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const scale = width === undefined ? 1 : width / image.width;
    const canvas = new OffscreenCanvas(Math.round(image.width * scale), Math.round(image.height * scale));
    const drawing = canvas.getContext('2d');
    drawing.imageSmoothingQuality = 'high';
    drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
    return { canvas, pixels: drawing.getImageData(0, 0, canvas.width, canvas.height).data };
  };
  const present = await read(now, ${WIDTH});
  const blob = await present.canvas.convertToBlob({ type: 'image/png' });
  const small = btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
  if (before === undefined) return [small, 1];
  const { pixels } = await read(before);
  if (pixels.length !== present.pixels.length) return [small, 1];
  let different = 0;
  for (let at = 0; at < pixels.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(pixels[at + channel] - present.pixels[at + channel]) > ${CHANNEL_TOLERANCE}))
      different++;
  return [small, different / (pixels.length / 4)];
}`;

/** Scales a picture down and compares it with a former one, in the browser that made it. */
export async function comparePictures(
  context: BrowserContext,
  picture: Buffer,
  former: Buffer | undefined,
): Promise<Comparison> {
  const page = await context.newPage();
  try {
    const input = { now: picture.toString('base64'), before: former?.toString('base64') };
    // As text: the code runs in the browser, whose types this project does not load.
    const [url, difference] = await page.evaluate<[string, number]>(`(${COMPARE})(${JSON.stringify(input)})`);
    return { small: Buffer.from(url, 'base64'), difference };
  } finally {
    await page.close();
  }
}
