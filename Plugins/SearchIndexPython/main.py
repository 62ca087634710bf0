"""A full-text search index of the data below the paths of a trigger.

The index is one SQLite file with a full-text table. Searches are answered over HTTP on this machine:

    GET http://127.0.0.1:PORT/?q=words&limit=20    ->    [{"database": "default", "path": "/notes/n1"}, ...]
"""

import http.server
import json
import sqlite3
import sys
import threading
import time
import urllib.parse

from hearth_plugin import Plugin, Temporary

TABLES = """
CREATE TABLE IF NOT EXISTS place (
  id INTEGER PRIMARY KEY, base TEXT NOT NULL, path TEXT NOT NULL, sequence TEXT NOT NULL, UNIQUE (base, path));
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text);
"""
RESULTS_MAX = 100
QUERY_LETTERS_MAX = 1_000

plugin = Plugin("search-index", "1.0.0")


def texts(value):
    """Returns all strings in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child)


class Index:
    """A search index with one connection, used by one thread at a time."""

    def __init__(self, file):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(file, check_same_thread=False)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.executescript(TABLES)

    def update(self, base, path, sequence, text):
        """Stores the text of a path, unless the event is older than the last one of that path."""
        with self.lock, self.database as database:
            known = database.execute("SELECT id, sequence FROM place WHERE base = ? AND path = ?", (base, path)).fetchone()
            if known and sequence <= known[1]:
                return False
            # The entry of a deleted path is kept, so that an older event that is delivered again does not restore it.
            database.execute(
                "INSERT INTO place (base, path, sequence) VALUES (?, ?, ?) "
                "ON CONFLICT (base, path) DO UPDATE SET sequence = excluded.sequence", (base, path, sequence))
            (number,) = database.execute(
                "SELECT id FROM place WHERE base = ? AND path = ?", (base, path)).fetchone()
            database.execute("DELETE FROM words WHERE rowid = ?", (number,))
            if text:
                database.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))
            return True

    def find(self, words, limit):
        """Returns the paths whose text contains all words, the best matches first."""
        # Quotes make every word literal, whatever characters it contains.
        query = " ".join('"' + word.replace('"', '""') + '"' for word in words.split())
        with self.lock:
            rows = self.database.execute(
                "SELECT base, path FROM words JOIN place ON place.id = words.rowid WHERE words MATCH ? "
                "ORDER BY rank LIMIT ?", (query, limit)).fetchall() if query else []
        return [{"database": base, "path": path} for base, path in rows]


class SearchServer(http.server.ThreadingHTTPServer):
    """A server for a limited number of concurrent searches; others wait."""

    slots = threading.BoundedSemaphore(16)

    def process_request(self, request, client_address):
        self.slots.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()


class SearchHandler(http.server.BaseHTTPRequestHandler):
    timeout = 10

    def do_GET(self):
        # A web page can make its own host name resolve to this machine (DNS rebinding); its requests carry that name and are
        # refused.
        if urllib.parse.urlsplit("//" + self.headers.get("Host", "")).hostname not in ("127.0.0.1", "localhost"):
            return self.send_error(421)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        try:
            limit = max(1, min(int(query.get("limit", ["20"])[0]), RESULTS_MAX))
            status, answer = 200, index.find(query.get("q", [""])[0][:QUERY_LETTERS_MAX], limit)
        except (ValueError, sqlite3.Error):
            status, answer = 400, {"error": "unknown search"}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def answer_searches(port):
    while True:
        try:
            SearchServer(("127.0.0.1", port), SearchHandler).serve_forever()
        except (OSError, OverflowError) as error:
            # The previous version of the plugin may still have the port open.
            print(f"port {port}: {error}", file=sys.stderr)
            time.sleep(1)


index = None


@plugin.start
def start(settings):
    global index
    index = Index(settings["file"])
    if settings["port"]:
        threading.Thread(target=answer_searches, args=(int(settings["port"]),), daemon=True).start()


@plugin.hook("onWrite")
def on_write(event, settings):
    data = event["data"]
    if data.get("isTooLarge"):
        # Words that were removed from the value must not be found any more.
        print(f"{data['path']} is too large to be indexed", file=sys.stderr)
    after = (data.get("values") or {}).get("after")
    try:
        is_new = index.update(data["database"], data["path"], data["sequence"], "\n".join(texts(after)))
    except sqlite3.OperationalError as error:
        raise Temporary(f"the index: {error}") from None
    return {"isNew": is_new}


plugin.run()
