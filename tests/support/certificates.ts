import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Paths of PEM files: an authority of the test's own, and what it has signed for this machine. */
export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** The same, read. */
  readonly pem: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

export function makeCertificates(folder: string): Certificates {
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: readonly string[]) =>
    execFileSync('/usr/bin/openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = ['-subj', '/CN=An authority of a test', '-days', '2'];
  openssl('req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', at('ca.pem'), ...authority);
  const subject = ['-subj', '/CN=redis', '-keyout', at('redis.key'), '-out', at('redis.csr')];
  openssl('req', ...newKey, ...subject);
  writeFileSync(at('names.txt'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
  const names = ['-extfile', at('names.txt'), '-out', at('redis.pem')];
  openssl('x509', '-req', '-in', at('redis.csr'), ...signed, ...names);
  const files = { ca: at('ca.pem'), cert: at('redis.pem'), key: at('redis.key') };
  const pem = {
    ca: readFileSync(files.ca),
    cert: readFileSync(files.cert),
    key: readFileSync(files.key),
  };
  return { ...files, pem };
}
