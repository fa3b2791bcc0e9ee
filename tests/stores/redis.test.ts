import { describeLockStore } from './conformance';
import { openRedis, postgresLedger, sqliteLedger } from './redis';

describeLockStore('the Redis store beside SQLite', async () => openRedis(await sqliteLedger()));
describeLockStore('the Redis store beside PostgreSQL', async () =>
  openRedis(await postgresLedger()),
);
