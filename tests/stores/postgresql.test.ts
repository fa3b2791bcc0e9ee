import { describeLockStore } from './conformance';
import { openOddPostgres, openPostgres } from './postgresql';

describeLockStore('the PostgreSQL store', openPostgres);
describeLockStore('the PostgreSQL store in a database with habits of its own', openOddPostgres);
