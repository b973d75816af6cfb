// Lists the tools of a server and calls one, as a program made with the AI SDK does.
//   node ai-sdk-client.mjs <url> <token> <tool> <arguments as JSON>
// Prints {"tools": [names], "result": the tool's result}.
import process from 'node:process';
import { createMCPClient } from '@ai-sdk/mcp';

const [url, token, name, args] = process.argv.slice(2);
const client = await createMCPClient({
  transport: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } },
});
try {
  const tools = await client.tools();
  const result = await tools[name].execute(JSON.parse(args), { toolCallId: 'one', messages: [] });
  process.stdout.write(JSON.stringify({ tools: Object.keys(tools), result }));
} finally {
  await client.close();
}
