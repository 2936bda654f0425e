# SPDX-License-Identifier: Apache-2.0
"""Serves the files of a folder on a port of its own, with the failures that a download meets.

    file_server.py FOLDER

Prints the port and ends when its standard input does. The first part of a path says how the server behaves:
  /good/FILE    sends the file, or the part that is asked for
  /whole/FILE   sends the whole file, whatever is asked for
  /cut/FILE     announces the whole file, and ends the connection after half; sends the part that is asked for
  /error/FILE   answers 500
  /moved/FILE   sends the client to /good/FILE
  /empty/FILE   answers 200 with no bytes
  /page/FILE    answers 200 with a page for people
  /half/FILE    sends half of the file and ends, without having said how long it is
  /slow/FILE    sends half of what is left, and the rest once /release is asked for, until /hold is
/requests lists the requests so far: path, and the bytes that were asked for.
"""

import http.server
import os
import sys
import threading
import urllib.parse

folder = sys.argv[1]
requests = []
released = threading.Event()


class handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send(self, code, body, headers=(), announced=None):
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if announced is None else announced))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/requests":
            return self.send(200, "".join(f"{path} {part}\n" for path, part in requests).encode())
        if self.path == "/release":
            released.set()
            return self.send(200, b"")
        if self.path == "/hold":
            released.clear()
            return self.send(200, b"")
        asked = self.headers.get("Range", "")
        requests.append((self.path, asked or "all"))
        how, _, name = self.path[1:].partition("/")
        path = os.path.join(folder, os.path.basename(urllib.parse.unquote(name)))
        if how == "error":
            return self.send(500, b"<html>trouble</html>")
        if how == "moved":
            return self.send(302, b"", [("Location", "/good/" + name)])
        if how == "empty":
            return self.send(200, b"")
        if how == "page":
            return self.send(200, b"<!DOCTYPE html>please log in")
        if not os.path.isfile(path):
            return self.send(404, b"<html>nothing here</html>")
        with open(path, "rb") as file:
            data = file.read()
        begin = int(asked[len("bytes="):].split("-")[0]) if asked and how != "whole" else 0
        if begin >= len(data) and asked:
            return self.send(416, b"", [("Content-Range", f"bytes */{len(data)}")])
        if how == "half":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
            return None
        rest = data[begin:]
        headers = [("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")] if begin else []
        code = 206 if begin else 200
        if how == "cut" and not asked:
            self.send(code, rest[: len(rest) // 2], headers, announced=len(rest))
            self.close_connection = True
            return None
        if how == "slow":
            self.send(code, rest[: len(rest) // 2], headers, announced=len(rest))
            self.wfile.flush()
            released.wait()
            self.wfile.write(rest[len(rest) // 2 :])
            return None
        return self.send(code, rest, headers)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
