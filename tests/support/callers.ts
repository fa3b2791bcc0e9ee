/** Who tests are: the key and the admin that every test server is started with. */

export const testKey = 'a key of the tests, at HOLDFAST_API_KEY'.replaceAll(' ', '-');
export const testAdmin = { email: 'ann@example.com', password: 'correct horse battery staple' };

export function bearer(secret: string): { readonly authorization: string } {
  return { authorization: `Bearer ${secret}` };
}

/** What a server of the tests is told of access, unless a test says otherwise. */
export const accessEnvironment = {
  HOLDFAST_API_KEY: testKey,
  HOLDFAST_CALLS_PER_SECOND: '1000000',
  HOLDFAST_SECRET: 'a secret of the tests, the same for every server',
} as const;

export const adminEnvironment = {
  HOLDFAST_ADMIN_EMAIL: testAdmin.email,
  HOLDFAST_ADMIN_PASSWORD: testAdmin.password,
} as const;
