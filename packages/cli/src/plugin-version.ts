/** The version that `kubectl ray version` prints; a test keeps it equal to the version in package.json. */
export const VERSION = '0.1.0';
