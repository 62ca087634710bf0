"""Checks the HTML of a built site: links, anchors, images, and that no page requests anything from another host."""

import html.parser
import re
import urllib.parse

# Attributes whose address a browser requests by itself.
REQUESTED = {("img", "src"), ("script", "src"), ("source", "srcset"), ("link", "href"), ("iframe", "src"), ("object", "data")}


class Page(html.parser.HTMLParser):
    """The identifiers and addresses of a page."""

    def __init__(self, path):
        super().__init__()
        self.identifiers = set()
        self.addresses = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.identifiers.add(value)
            elif (name == "href" or (tag, name) in REQUESTED) and value:
                relation = dict(attributes).get("rel", "")
                is_requested = (tag, name) in REQUESTED and relation not in ("canonical", "author", "prev", "next", "search", "index")
                self.addresses.append((value, is_requested))


def problems(folder):
    """Everything that is wrong in a folder of HTML pages, except in the API reference, which DocC checks itself."""
    pages = {path: Page(path) for path in folder.rglob("*.html") if path.relative_to(folder).parts[0] not in ("api", "_static")}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        for address, is_requested in page.addresses:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme in ("data", "mailto"):
                continue
            if parts.scheme or parts.netloc:
                if is_requested:
                    found.append(f"{name}: requests {address}")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() and not (target / "index.html").is_file():
                found.append(f"{name}: {address} leads nowhere")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].identifiers:
                found.append(f"{name}: {address} leads to no heading")
    for path in folder.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?((?:https?:)?//[^)'\"]+)", path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(folder)}: requests {address}")
    return found
