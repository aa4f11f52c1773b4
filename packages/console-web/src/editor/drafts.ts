const PREFIX = 'draft:';

/** Text that was typed and not applied. It survives a reload, a lost session and a closed page of the same tab. */
export function readDraft(key: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft; without a text it is dropped. */
export function writeDraft(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // Private windows may have no storage: then the text lives as long as the page.
  }
}

/** Drops all drafts: after a logout another person may use the tab. */
export function dropDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to drop.
  }
}
