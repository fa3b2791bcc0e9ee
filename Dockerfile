# docker build -t holdfast .
# Builds with all packages, and takes along what serving reaches: scripts/collect.mjs.
FROM node:22-slim AS build
# SQLite's driver is compiled where there is no binary of it for this platform.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json ./
# The scripts of one package are needed; the others' stay unrun.
RUN npm ci --ignore-scripts --no-audit --no-fund && npm rebuild better-sqlite3
COPY . .
RUN node scripts/build.mjs && node scripts/collect.mjs /app

FROM node:22-slim
ENV NODE_ENV=production \
    NEXT_TELEMETRY_DISABLED=1 \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=file:/data/holdfast.db
WORKDIR /app
COPY --from=build /app ./
# Where a SQLite file and the secret beside it are; with PostgreSQL nothing is written anywhere.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "scripts/health.mjs"]
# No shell and no npm in between: signals reach the service, which ends within 10 s.
CMD ["node", "--enable-source-maps", "dist/server.mjs"]
