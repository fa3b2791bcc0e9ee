// Whether the service beside this is ready, as an exit code: for container health checks, where there is no curl.
// It goes by HOST and PORT, like the service.
const msMax = 2_500;
const { HOST = '', PORT = '' } = process.env;
const everywhere = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '[::1]' };
const host = everywhere[HOST] ?? (HOST.includes(':') ? `[${HOST}]` : HOST);

try {
  const answer = await fetch(`http://${host}:${PORT || '3000'}/api/health/ready`, {
    signal: AbortSignal.timeout(msMax),
  });
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
} catch (error) {
  console.error(`The service is not ready: ${error.message}`);
  process.exitCode = 1;
}
