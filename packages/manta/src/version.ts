/** Our own version. It never equals one of the peer's: objects stamped with another version are adopted, not rebuilt. */
export const VERSION = '0.1.0';
