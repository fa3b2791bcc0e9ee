/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // `npm test` checks the types, of the tests too; a start from a fresh clone need not wait for that.
  typescript: { ignoreBuildErrors: true },
  // The route handlers reach the database under `next start`; these carry native code, WebAssembly or worker threads.
  serverExternalPackages: [
    '@opentelemetry/api',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/exporter-trace-otlp-proto',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
    '@prisma/client',
    '@prisma/adapter-better-sqlite3',
    '@prisma/adapter-pg',
    'better-auth',
    'better-sqlite3',
    'pg',
    'pino',
    'pino-pretty',
    'prom-client',
  ],
  // The policy on scripts, which has another nonce for every page, is made in proxy.ts.
  headers() {
    return Promise.resolve([
      {
        source: '/((?!api/).*)',
        headers: [
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
