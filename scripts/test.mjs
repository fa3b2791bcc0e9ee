// `npm test`: sets up what it needs, runs every check, and ends with one line that counts them all. It runs before there
// is a node_modules, so it imports nothing but Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { ensureDependencies, ensureNode } from './setup.mjs';

const root = path.join(import.meta.dirname, '..');
const reports = mkdtempSync(path.join(tmpdir(), 'holdfast-reports-'));
const stepMinutesMax = 60;
const failureLinesMax = 20;
const chromium = '/usr/bin/chromium';
const debianTools = {
  [chromium]: 'chromium',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1': 'libfaketime',
  '/usr/sbin/pgbouncer': 'pgbouncer',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/bin/redis-server': 'redis-server',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/zsh': 'zsh',
};
const aptGet = '/usr/bin/apt-get';

ensureNode();
ensureDependencies();
ensureTools();

const bin = (name) => path.join(root, 'node_modules', name);
const tools = {
  tsc: bin('typescript/bin/tsc'),
  eslint: bin('eslint/bin/eslint.js'),
  prettier: bin('prettier/bin/prettier.cjs'),
  knip: bin('knip/bin/knip.js'),
  vitest: bin('vitest/vitest.mjs'),
  playwright: bin('@playwright/test/cli.js'),
};

/** What ran, in order: a check is one that passed or failed; tests bring their own numbers. */
const outcomes = [];

const isBuilt = await check('build', [path.join(root, 'scripts/build.mjs'), '--if-stale']);
await check('types', [tools.tsc, '--noEmit', '-p', root]);
await check('lint', [tools.eslint, '.', '--max-warnings', '0']);
await check('format', [tools.prettier, '--check', '--log-level', 'warn', '.']);
await check('unused code', [tools.knip]);
await vitest('unit');
await vitest('stores');
// These run what was built: an older build would be tested in its place.
if (isBuilt) await vitest('servers');
else skip('servers', 'the build failed');
if (!isBuilt) skip('browser', 'the build failed');
else if (!existsSync(chromium)) skip('browser', `there is no ${chromium}`);
else await playwright();

rmSync(reports, { recursive: true, force: true });
summarise();

async function check(name, args) {
  const ended = await run(name, args);
  record(name, ended, { passed: ended.ok ? 1 : 0, failed: ended.ok ? 0 : 1 });
  return ended.ok;
}

async function vitest(project) {
  const report = path.join(reports, `${project}.json`);
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json'];
  const ended = await run(project, [tools.vitest, ...args, `--outputFile.json=${report}`]);
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
    testResults = [],
  } = readReport(report);
  record(project, ended, {
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
    failures: testResults.flatMap(failuresOfFile),
  });
}

async function playwright() {
  const report = path.join(reports, 'browser.json');
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report, PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  const ended = await run('browser', [tools.playwright, 'test', '--reporter=list,json'], env);
  const { stats: { expected = 0, flaky = 0, unexpected = 0, skipped = 0 } = {}, suites = [] } =
    readReport(report);
  record('browser', ended, {
    passed: expected + flaky,
    failed: unexpected,
    skipped,
    failures: suites.flatMap(failuresOfSuite),
  });
}

/** What failed in one file of Vitest's report: each test, or the file itself where it could not be loaded. */
function failuresOfFile({ name, status, message, assertionResults }) {
  const file = path.relative(root, name);
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [failure(file, message)];
  return failed.map(({ fullName, failureMessages }) =>
    failure(`${file} › ${fullName}`, failureMessages.join('\n')),
  );
}

/** What failed in one suite of Playwright's report, and in those inside it. */
function failuresOfSuite({ specs = [], suites = [] }) {
  const failed = specs
    .filter((spec) => !spec.ok)
    .map(({ file, line, title, tests }) => {
      const errors = tests.flatMap((test) => test.results).flatMap((result) => result.errors);
      const text = stripVTControlCharacters(errors.map((error) => error.message).join('\n'));
      return failure(`${file}:${line} › ${title}`, text);
    });
  return [...failed, ...suites.flatMap(failuresOfSuite)];
}

function failure(test, text) {
  const lines = text.split('\n').slice(0, failureLinesMax);
  return [test, ...lines.map((line) => `    ${line}`)].join('\n');
}

function skip(name, why) {
  console.log(`\n── ${name}: not run, since ${why}`);
  outcomes.push({ name, ok: false, passed: 0, failed: 1, seconds: 0, why, failures: [] });
}

/**
 * A step that ended badly has failed at least once, whatever its report says or lacks; so has one that tested nothing.
 * A test that was skipped has shown nothing, so it counts as failed.
 */
function record(name, { ok, seconds, why }, { passed, failed, skipped = 0, failures = [] }) {
  const notPassed = failed + skipped;
  const isEmpty = passed + notPassed === 0;
  outcomes.push({
    name,
    ok: ok && !isEmpty && notPassed === 0,
    passed,
    failed: ok && !isEmpty ? notPassed : Math.max(1, notPassed),
    seconds,
    why: reasonOf({ ok, why, isEmpty, skipped }),
    failures,
  });
}

function reasonOf({ ok, why, isEmpty, skipped }) {
  if (skipped > 0) return `${skipped} did not run${ok ? '' : `, ${why}`}`;
  return ok && isEmpty ? 'no test ran' : why;
}

function run(name, args, extra = {}) {
  console.log(`\n── ${name}`);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    // A group of its own, so that a step which hangs can be ended with all that it has started.
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: process.platform !== 'win32',
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...extra },
    });
    const interrupt = () => {
      endGroup(child, 'SIGKILL');
      process.exit(130);
    };
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endGroup(child, 'SIGKILL');
    }, stepMinutesMax * 60_000);
    const settle = (ok, why) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      resolve({ ok, why, seconds: (performance.now() - startedAt) / 1000 });
    };
    child.once('error', (error) => settle(false, error.message));
    child.once('exit', (code, signal) => {
      if (isLate) settle(false, `it took longer than ${stepMinutesMax} minutes`);
      else settle(code === 0, signal === null ? `exit code ${code}` : `ended by ${signal}`);
    });
  });
}

function endGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * What the tests need and npm cannot bring. Where this may, it installs Debian's packages; elsewhere it says what is
 * missing, and the tests that need it fail.
 */
function ensureTools() {
  const missing = Object.entries(debianTools).filter(([file]) => !existsSync(file));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  const mayInstall = existsSync(aptGet) && process.getuid?.() === 0;
  if (mayInstall) {
    console.log(`Installing ${packages.join(', ')} for the tests (once)…`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
      spawnSync(aptGet, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    }
  }
  for (const [file, name] of missing) {
    if (existsSync(file)) continue;
    console.error(
      mayInstall
        ? `${name} could not be installed; the lines above say why. Tests need ${file}.`
        : `Tests need ${file}: install it (Debian: apt-get install ${name}) and run this again.`,
    );
  }
}

/** The failures once more, since their step may have said them thousands of lines ago; then a line for each step. */
function summarise() {
  console.log('');
  for (const { name, failures } of outcomes) {
    for (const text of failures) console.log(`FAILED in ${name}: ${text}\n`);
  }
  for (const { name, ok, passed, failed, seconds, why } of outcomes) {
    const numbers = `${passed} passed, ${failed} failed`;
    const reason = ok ? '' : ` (${why})`;
    console.log(
      `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${numbers} in ${seconds.toFixed(1)} s${reason}`,
    );
  }
  const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const isGood = outcomes.every((outcome) => outcome.ok);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = isGood ? 0 : 1;
}
