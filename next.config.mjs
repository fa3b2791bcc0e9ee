const isDevelopment = process.env.NODE_ENV === 'development';

/**
 * No host but our own, no frames, no plug-ins. Next writes its hydration data as inline scripts, so scripts may be
 * inline; everything that users write reaches the page as text nodes. React needs `eval`, and Next inline styles, in
 * development alone.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'self' 'unsafe-inline'${isDevelopment ? " 'unsafe-eval'" : ''}`,
  `style-src 'self'${isDevelopment ? " 'unsafe-inline'" : ''}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "object-src 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // `npm test` checks the types, of the tests too; a start from a fresh clone need not wait for that.
  typescript: { ignoreBuildErrors: true },
  // The route handlers reach the database under `next start`; these carry native code, WebAssembly or worker threads.
  serverExternalPackages: [
    '@prisma/client',
    '@prisma/adapter-better-sqlite3',
    '@prisma/adapter-pg',
    'better-sqlite3',
    'pg',
    'pino',
  ],
  headers() {
    return Promise.resolve([
      {
        source: '/((?!api/).*)',
        headers: [
          { key: 'Content-Security-Policy', value: contentSecurityPolicy },
          { key: 'X-Content-Type-Options', value: 'nosniff' },
          { key: 'Referrer-Policy', value: 'no-referrer' },
          { key: 'X-Frame-Options', value: 'DENY' },
          { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=()' },
        ],
      },
    ]);
  },
};

export default config;
