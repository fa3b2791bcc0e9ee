// The yardstick: reads and parses the same body, does nothing with it, and sends as many bytes as the service does.
// Arguments: the port, and the file with a real answer.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, answerFile] = process.argv.slice(2);
const { headers, body } = JSON.parse(readFileSync(answerFile, 'utf8'));
const answer = Buffer.from(body);
const headersWithoutBody = { ...headers };
delete headersWithoutBody['content-type'];

const server = createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
    if (incoming.method === 'DELETE') {
      outgoing.writeHead(204, headersWithoutBody);
      outgoing.end();
    } else {
      outgoing.writeHead(200, { ...headers, 'content-length': answer.length });
      outgoing.end(answer);
    }
  });
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
