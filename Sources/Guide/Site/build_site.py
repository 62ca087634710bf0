#!/usr/bin/env python3
"""Builds the guide as a site: build_site.py FOLDER [--reference FOLDER].

The pages are the Markdown files that a Git host shows. They are copied to .build/docs-pages under the names that they have on
the site, with links rewritten from paths in the repository to paths on the site; Sphinx makes the HTML in FOLDER/VERSION. A
link to a file, page or heading that does not exist ends the build, and so does a request to another host.

Folders of other versions in FOLDER stay: FOLDER/versions.html lists all, and FOLDER/index.html leads to the newest.
"""

import argparse
import html
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

import check_site

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
GUIDE = "Sources/Guide"
STAGED = ROOT / ".build/docs-pages"
# Files that are copied to the site unchanged, beside the pages.
EXTRA = ROOT / ".build/docs-extra"
# Pages outside the guide's folder: the path in the repository and the page's name on the site.
OTHER_PAGES = {
    "Rules/README.md": "Rules/index.md", "Plugins/README.md": "Plugins/index.md",
    ".github/CONTRIBUTING.md": "Contributing.md", ".github/SECURITY.md": "ReportingProblems.md",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))|((?:src|srcset)=\")([^\"]+)(\")")
# A picture that follows the colours of the system on a Git host, and on the site those that the reader has chosen.
PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)" ([^>]*)>\s*</picture>')


def version():
    """The server's version, which its source declares."""
    text = (ROOT / "Sources/Server/HearthServer/Server/HearthServer.swift").read_text(encoding="utf-8")
    return re.search(r'static let version = "([^"]+)"', text)[1]


def pages():
    """The pages' paths in the repository, with their paths on the site."""
    found = {f"{GUIDE}/{path.name}": path.name for path in sorted((ROOT / GUIDE).glob("*.md"))}
    found[f"{GUIDE}/README.md"] = "index.md"
    found |= {source: page for source, page in OTHER_PAGES.items() if (ROOT / source).exists()}
    for path in sorted((ROOT / "Plugins").glob("*/README.md")):
        found[f"Plugins/{path.parent.name}/README.md"] = f"Plugins/{path.parent.name}.md"
    return found


def toctree(caption, entries):
    """Pages of the navigation that the page itself does not show."""
    return "\n".join(["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *entries, "```", ""])


class Staging:
    """The copies of the pages, and of the files that they link."""

    def __init__(self):
        self.pages = pages()
        self.problems = []
        for folder in (STAGED, EXTRA):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            shutil.copytree(ROOT / GUIDE / "Images", folder / "Images")

    def link(self, source, target):
        """A link of the page `source` as it is on the site."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        path, sharp, anchor = target.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        folder = posixpath.dirname(self.pages[source])
        if found in self.pages:
            return posixpath.relpath(self.pages[found], folder or ".") + sharp + anchor
        if not (ROOT / found).is_file():
            self.problems.append(f"{source}: {target} leads to no file")
            return target
        # Images keep their place, and other files are offered as they are in the repository.
        place = found.removeprefix(GUIDE + "/")
        if not place.startswith("Images/"):
            place = "files/" + found
            (STAGED / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / found, STAGED / place)
        return posixpath.relpath(place, folder or ".") + sharp + anchor

    def rewritten(self, source, text):
        """The text of a page with the site's links, code left as it is."""
        text = PICTURE.sub(r'<img class="only-light" src="\2" \3><img class="only-dark" src="\1" \3>', text)
        parts = re.split(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]*`)", text, flags=re.S | re.M)
        return "".join(
            part if index % 2 else LINK.sub(lambda found: "".join(
                self.link(source, group) if place in (1, 4) else group
                for place, group in enumerate(found.groups()) if group is not None), part)
            for index, part in enumerate(parts))

    def stage(self):
        for source, page in self.pages.items():
            text = self.rewritten(source, (ROOT / source).read_text(encoding="utf-8"))
            if source == f"{GUIDE}/README.md":
                text = self.front(text)
            elif children := self.children(source):
                text += "\n" + toctree("", children)
            path = STAGED / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if self.problems:
            sys.exit("\n".join(self.problems))

    def children(self, source):
        """The pages that the navigation has below a page."""
        if source == "Plugins/README.md":
            return [f"/{page.removesuffix('.md')}" for found, page in self.pages.items() if found.count("/") == 2 and "Plugins/" in found]
        return ["/ReportingProblems"] if source == ".github/CONTRIBUTING.md" else []

    def front(self, text):
        """The first page: the guide's first page with the README's comparison, and the lists of pages as the navigation."""
        start, paths, more, subjects = re.fullmatch(
            r"(.*?)^## Three paths\n(.*?)(^## .*?)^## All pages\n(.*)", text, re.S | re.M).groups()
        intro, *cards = re.split(r"^### ", paths, flags=re.M)
        trees = []
        for subject in re.split(r"^### ", subjects, flags=re.M)[1:]:
            caption, _, listed = subject.partition("\n")
            lines = [f"{title} <{target.removesuffix('.md')}>" for title, target in re.findall(r"\[([^]]+)\]\(([^)]+)\)", listed)]
            trees.append(toctree(caption, lines))
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        comparison = re.search(r"<!-- Comparison: begin. -->\n(.*?)<!-- Comparison: end. -->", readme, re.S)[1]
        words, image, pictures = start.partition("\n")[2].partition("<img")
        pictures = image + pictures
        return "\n\n".join([
            "---\nhtml_theme.sidebar_secondary.remove: true\n---",
            "# Hearth", '<div class="front-head">\n\n<div>', words.strip(), '<div class="front-actions">',
            "[Get started](GettingStarted.md) [Install](Installing.md) [Move from Firebase](MoveYourData.md)",
            "</div>\n\n</div>", pictures.strip(), "</div>",
            "## Three paths", intro.strip(), '<div class="front-cards">',
            *[f'<div class="front-card">\n\n**{card.partition(chr(10))[0]}**\n{card.partition(chr(10))[2]}\n\n</div>' for card in cards],
            "</div>", more.strip(), "## Compared", self.rewritten("README.md", comparison).strip(), *trees]) + "\n"


def write_versions(folder, newest):
    """Lists the versions that are in the folder; the address without a version leads to the newest."""
    def order(name):
        return [int(part) if part.isdigit() else -1 for part in re.split(r"[.-]", name)]

    names = sorted((path.parent.name for path in folder.glob("*/index.html")), key=order, reverse=True)
    rows = "".join(f'<li><a href="{html.escape(name)}/index.html">{html.escape(name)}</a></li>' for name in names)
    style = f"{newest}/_static/hearth.css"
    (folder / "versions.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>Hearth: versions</title><link rel="stylesheet" href="{style}"><body class="plain">'
        f"<h1>Versions of the guide</h1><ul>{rows}</ul></body></html>\n", encoding="utf-8")
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Hearth</title>'
        f'<meta http-equiv="refresh" content="0; url={names[0]}/index.html"><a href="{names[0]}/index.html">Hearth</a></html>\n',
        encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Builds the guide as a site.")
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--reference", type=pathlib.Path, help="the API reference as DocC made it, beside the guide as api/")
    parser.add_argument("--version", action="store_true", help="print the version and end")
    options = parser.parse_args()
    if options.version:
        print(version())
        return
    Staging().stage()
    made = options.folder / version()
    shutil.rmtree(made, ignore_errors=True)
    environment = {
        **os.environ, "HEARTH_VERSION": version(), "HEARTH_REFERENCE": "1" if options.reference else "",
        "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "0")}
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "--quiet", "--conf-dir", HERE,
         "--doctree-dir", ROOT / ".build/docs-trees", STAGED, made],
        env=environment)
    if done.returncode:
        sys.exit(done.returncode)
    if options.reference:
        shutil.copytree(options.reference, made / "api")
    write_versions(options.folder, version())
    problems = check_site.problems(made)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{made}/index.html")


if __name__ == "__main__":
    main()
