import { describeLockStore } from './conformance';
import { openSqlite } from './sqlite';

describeLockStore('the SQLite store', openSqlite);
