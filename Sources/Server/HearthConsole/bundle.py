"""Bundles the console's page into one Swift file: bundle.py PAGE WORK OUTPUT.

Debian's esbuild turns the page's `main.ts`, with all that it imports, into scripts and a style sheet. Debian's fonts, cut down to
the characters of Latin scripts, are written to `fonts/` with the style sheet `fonts.css` that names them. The name of each file
gets a hash of its content, except for `index.html`, in which the names of `main.js`, `main.css` and pictures are replaced by
those with the hash. All files are compressed with gzip, and written as `ConsoleAssets.files`. Fonts that an earlier run left in
WORK are used again.
"""

import base64
import gzip
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

PACKAGES = {
    "esbuild": "/usr/bin/esbuild",
    "node-preact": "/usr/share/nodejs/preact/package.json",
    "libjs-codemirror": "/usr/share/javascript/codemirror/lib/codemirror.js",
    "fonts-inter": "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
    "fonts-jetbrains-mono": "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
    "python3-fonttools": "/usr/lib/python3/dist-packages/fontTools/subset/__init__.py",
    "python3-brotli": "/usr/lib/python3/dist-packages/brotli.py",
}
# The font faces: family and weight as in the style sheets, the name of the output file, and the font that it is cut from.
FACES = [
    ("Hearth Sans", 400, "inter-400", "/usr/share/fonts/opentype/inter/Inter-Regular.otf"),
    ("Hearth Sans", 500, "inter-500", "/usr/share/fonts/opentype/inter/Inter-Medium.otf"),
    ("Hearth Sans", 600, "inter-600", "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf"),
    ("Hearth Mono", 400, "jetbrains-mono-400", "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf"),
]
# The characters that every page needs: English letters, dashes, quotes, dots, arrows and the symbols of keys.
CORE = (
    "U+20-7E,U+A0,U+B7,U+D7,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2026,U+2190-2193,U+2212,U+2318,U+23CE")
# The other letters of Latin scripts, in a separate file that a browser loads when one of them is displayed.
MORE = (
    "U+A1-B6,U+B8-D6,U+D8-17F,U+192,U+2C6,U+2DC,U+2010-2012,U+2015,U+201A,U+201E,U+2020-2022,U+2030,U+2039,U+203A,U+20AC,"
    "U+2122,U+2248,U+2260,U+2264,U+2265")
# Ligatures are left out: keys and values are shown character by character.
FEATURES = "kern,tnum,case"
PARTS = {"-more": MORE, "": CORE}
TYPES = {
    ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8", ".png": "image/png", ".svg": "image/svg+xml", ".woff2": "font/woff2",
}


def fail(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(1)


def check_packages():
    missing = [name for name, path in PACKAGES.items() if not pathlib.Path(path).exists()]
    if missing:
        fail(f"the console's page needs these Debian packages: {' '.join(missing)}. Install them with: "
             f"apt-get install --yes --no-install-recommends {' '.join(missing)}, or all at once with: sh Deploy/packages.sh")


def run(*arguments, **options):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"{arguments[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def cut_fonts(folder):
    """Fonts do not change with the page: they are cut once for each version of them. `fonts.css` says which is for what."""
    rules = ""
    for family, weight, name, source in FACES:
        for part, characters in PARTS.items():
            font = folder / f"{name}{part}.woff2"
            cut_font(font, source, characters)
            rules += (f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-display: swap; '
                      f'src: url("{font.name}") format("woff2"); unicode-range: {characters}; }}\n')
    (folder / "fonts.css").write_text(rules, encoding="utf-8")


def cut_font(font, source, characters):
    stamp = pathlib.Path(source).stat()
    key = hashlib.sha256(f"{source} {stamp.st_size} {stamp.st_mtime_ns} {characters} {FEATURES}".encode()).hexdigest()
    mark = font.with_name(font.name + ".key")
    if font.exists() and mark.exists() and mark.read_text() == key:
        return
    run("/usr/bin/python3", "-m", "fontTools.subset", source, f"--unicodes={characters}", "--flavor=woff2",
        f"--layout-features={FEATURES}", "--no-hinting", "--desubroutinize", f"--output-file={font}")
    mark.write_text(key)


def bundle(page, work):
    source, output, fonts = work / "source", work / "bundle", work / "fonts"
    for folder in (source, output):
        shutil.rmtree(folder, ignore_errors=True)
    fonts.mkdir(parents=True, exist_ok=True)
    cut_fonts(fonts)
    shutil.copytree(page, source)
    shutil.copytree(fonts, source / "fonts", ignore=shutil.ignore_patterns("*.key"))
    run("/usr/bin/esbuild", "main.ts", "--bundle", "--minify", "--splitting", "--format=esm", "--target=es2021",
        "--charset=utf8", "--legal-comments=none", "--log-level=warning", "--loader:.woff2=file", "--loader:.svg=file",
        "--loader:.png=file", "--entry-names=[name]-[hash]", "--chunk-names=[name]-[hash]",
        "--asset-names=[name]-[hash]", f"--outdir={output}", "--jsx-factory=h", "--define:DEBUG=false",
        cwd=source, env={"PATH": "/usr/bin:/bin", "NODE_PATH": "/usr/share/nodejs:/usr/share/javascript"})
    index = (page / "index.html").read_text(encoding="utf-8")
    for ending in ("js", "css"):
        found = list(output.glob(f"main-*.{ending}"))
        if len(found) > 1:
            fail(f"there are {len(found)} files main-*.{ending}")
        name = f"assets/{found[0].name}" if found else None
        if (name is None) != (f'"main.{ending}"' not in index):
            fail(f'index.html and main.ts do not agree on whether there is a "main.{ending}"')
        index = index.replace(f'"main.{ending}"', f'"{name}"')
    files = [(file.name, file.read_bytes()) for file in sorted(output.iterdir())]
    # The files that only index.html names, such as an icon.
    for file in sorted(page.iterdir()):
        if file.suffix in (".svg", ".png") and f'"{file.name}"' in index:
            content = file.read_bytes()
            name = f"{file.stem}-{hashlib.sha256(content).hexdigest()[:8]}{file.suffix}"
            index = index.replace(f'"{file.name}"', f'"assets/{name}"')
            files.append((name, content))
    return [("index.html", index.encode())] + files


def main(page, work, output):
    check_packages()
    work.mkdir(parents=True, exist_ok=True)
    entries = []
    for name, content in bundle(page, work):
        kind = TYPES.get(pathlib.Path(name).suffix)
        if kind is None or not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
            fail(f"{name} is no file that the console serves")
        packed = base64.urlsafe_b64encode(gzip.compress(content, 9, mtime=0)).decode().rstrip("=")
        entries.append(
            f'    Embedded(name: "{name}", contentType: "{kind}", sizeBytes: {len(content)}, text: "{packed}"),\n')
    text = "extension ConsoleAssets {\n  static let files: [Embedded] = [\n" + "".join(entries) + "  ]\n}\n"
    output.write_text(text, encoding="utf-8")


main(*(pathlib.Path(argument) for argument in sys.argv[1:4]))
