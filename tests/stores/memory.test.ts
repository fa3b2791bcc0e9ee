import { describeLockStore } from './conformance';
import { openMemoryStore } from './memory-under-test';

describeLockStore('The memory store', () => Promise.resolve(openMemoryStore()));
