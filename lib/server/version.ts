/** As in `package.json`, which no bundle carries; a test holds the two together. */
export const version = '0.1.0';
