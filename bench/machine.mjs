// Where the figures come from: without it they say nothing.
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const fileSystemsInMemory = new Set([0x01021994, 0x858458f6]);

export function describeMachine({ folder, driver }) {
  return {
    processor: os.cpus()[0]?.model.trim() ?? 'unknown processor',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    driver: driver.name,
    /** Processes that wanted to run in the last minute: before the first measurement these are others'. */
    loadBefore: os.loadavg()[0],
    fsyncMs: medianFsyncMs(path.join(folder, 'fsync')),
    isInMemory: fileSystemsInMemory.has(statfsSync(folder).type),
  };
}

/** What one durable write of 4 KiB costs on the disk of the databases. */
function medianFsyncMs(file) {
  const block = Buffer.alloc(4096, 1);
  const descriptor = openSync(file, 'w');
  const times = Array.from({ length: 50 }, () => {
    const startMs = performance.now();
    writeSync(descriptor, block);
    fsyncSync(descriptor);
    return performance.now() - startMs;
  });
  closeSync(descriptor);
  rmSync(file);
  return times.sort((one, other) => one - other)[25];
}
