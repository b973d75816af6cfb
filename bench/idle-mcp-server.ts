import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';

/** The peer of the MCP bench: Express and the SDK's stateless transport, and a tool that answers at once. */
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = new Server({ name: 'idle', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: 'nothing', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text' as const, text: '{}' }] }));
  const transport = new StreamableHTTPServerTransport({});
  res.on('close', () => void server.close());
  await server.connect(transport as Parameters<typeof server.connect>[0]); // The SDK's own types disagree under exact optional properties.
  await transport.handleRequest(req, res, req.body);
});
const listener = app.listen(0, '127.0.0.1', () => {
  const address = listener.address();
  if (address !== null && typeof address === 'object') process.send?.(`http://127.0.0.1:${address.port}`);
});
