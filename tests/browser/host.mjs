// A host that does nothing but serve a folder, on a free port of the loopback address.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };

/** Serves a folder. Returns the server, to close it, and the address of the folder. */
export async function serve(folder) {
  const server = createServer(({ url }, response) => {
    const path = new URL(url, "http://host").pathname.replace(/\/$/, "/index.html");
    try {
      const bytes = readFileSync(join(folder, path));
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
      response.end(bytes);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, home: `http://127.0.0.1:${server.address().port}/` };
}
