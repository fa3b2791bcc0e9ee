import { runTokensCommand } from '@/lib/server/tokens-command';

/** `node dist/tokens.mjs`: shows and raises the token counter, as after a restore. */
const { exitCode, text } = await runTokensCommand(process.argv.slice(2));
if (exitCode === 0) console.log(text);
else console.error(text);
process.exitCode = exitCode;
