import { describeLockStore } from './conformance';
import { openPostgres } from './postgresql';

describeLockStore('the PostgreSQL store', openPostgres);
