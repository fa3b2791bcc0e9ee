import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { temporaryFolder } from '../support/server';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
let packed: Promise<string> | undefined;

/** An empty project, into which the client was installed as it is published. */
export async function installPacked(): Promise<string> {
  packed ??= pack();
  const project = path.join(temporaryFolder(), 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{"type":"module","private":true}');
  const quiet = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, await packed], { cwd: project });
  return project;
}

async function pack(): Promise<string> {
  const folder = temporaryFolder();
  cpSync(path.join(root, 'client'), path.join(folder, 'client'), { recursive: true });
  const { stdout } = await run('npm', ['pack', './client', '--json'], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(folder, filename);
}
