"""`hollow.py COMMAND lsp|dap|serve …`: the command with nothing in its answers.

Of the protocols everything is kept that a client needs to go on: who answers what, the greeting and the goodbye, the files of
the workbench's page. What is answered is empty."""

import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import threading

command, what, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
KEPT = {"initialize", "shutdown", "disconnect"}


def message(stream):
    length = 0
    while line := stream.readline().strip():
        name, value = line.split(b": ")
        if name == b"Content-Length":
            length = int(value)
    return json.loads(stream.read(length)) if length else None


def write(stream, value):
    body = json.dumps(value).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()


def framed():
    server = subprocess.Popen([command, what, *rest], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked = {}

    def there():
        while (said := message(sys.stdin.buffer)) is not None:
            asked[said.get("id", said.get("seq"))] = said.get("method", said.get("command"))
            write(server.stdin, said)
        server.stdin.close()

    threading.Thread(target=there, daemon=True).start()
    while (said := message(server.stdout)) is not None:
        if said.get("method") == "textDocument/publishDiagnostics":
            said["params"]["diagnostics"] = []
        elif "method" not in said and "id" in said and asked.get(said["id"]) not in KEPT:
            said.pop("error", None)
            said["result"] = None
        elif said.get("type") == "response" and said["command"] not in KEPT:
            said.update(success=True, body={})
            said.pop("message", None)
        write(sys.stdout.buffer, said)
    sys.exit(server.wait())


def serve():
    # Whoever started this kills it without a word; the server must not outlive it.
    watch = f'"$@" & server=$!; while kill -0 {os.getpid()} 2>/dev/null; do sleep 0.2; done; kill $server'
    server = subprocess.Popen(
        ["sh", "-c", watch, "sh", command, what, *rest], stdout=subprocess.PIPE, text=True
    )
    first = server.stdout.readline()
    port = re.search(r"127\.0\.0\.1:(\d+)", first).group(1)

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            if "/api/" in self.path:
                return self.empty()
            page = http.client.HTTPConnection("127.0.0.1", int(port))
            page.request("GET", self.path, headers={"Host": f"127.0.0.1:{port}"})
            answer = page.getresponse()
            body = answer.read()
            self.send_response(200)
            self.send_header("Content-Type", answer.getheader("Content-Type", "text/plain"))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def empty(self):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_PUT = do_OPTIONS = do_HEAD = do_DELETE = empty

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(first.replace(f":{port}/", f":{proxy.server_port}/"), end="", flush=True)
    proxy.serve_forever()


if what == "serve":
    serve()
elif what in ("lsp", "dap"):
    framed()
else:
    os.execv(command, [command, what, *rest])
