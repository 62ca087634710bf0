"""Bundles the unmodified web SDK for a page.

`HEARTH_WEB_SDK` names a checkout of firebase-js-sdk. Without it the tests use the parts of the SDK in a Python package, unpacked
into `.build/web-sdk` (see `packaged.py`)."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import ROOT
from websdk import packaged

HERE = pathlib.Path(__file__).parent
CHECKOUT = os.environ.get("HEARTH_WEB_SDK")
PACKAGED = ROOT / ".build" / "web-sdk"
PACKAGES = {
    "@firebase/app": "app/src/index.ts", "@firebase/auth": "auth/index.ts", "@firebase/util": "util/index.ts",
    "@firebase/component": "component/index.ts", "@firebase/logger": "logger/index.ts"}


def packages(folder):
    """Returns the folder of the SDK's packages."""
    if shutil.which("esbuild") is None:
        pytest.skip("there is no esbuild")
    if CHECKOUT:
        return pathlib.Path(CHECKOUT) / "packages"
    wheels = sorted(PACKAGED.glob("*.whl"))
    if not wheels:
        pytest.skip("there is no web SDK in .build/web-sdk, and HEARTH_WEB_SDK names no checkout of firebase-js-sdk")
    packaged.unpack(wheels[-1], folder / "packages")
    return folder / "packages"


def bundle(folder):
    """Returns a script that defines `firebase` with the app and auth packages, and a checkout's database package."""
    source = packages(folder)
    paths = {name: [str(source / path)] for name, path in PACKAGES.items()} | {"idb": [str(HERE / "idb.ts")]}
    entry = (HERE / "entry.ts").read_text(encoding="utf-8")
    database = source / "database" / "src" / "index.ts"
    if database.exists():
        paths["@firebase/database"] = [str(database)]
        entry += "export * as database from '@firebase/database';\n"
    (folder / "entry.ts").write_text(entry, encoding="utf-8")
    settings = folder / "tsconfig.json"
    settings.write_text(json.dumps({"compilerOptions": {
        "baseUrl": str(folder), "target": "ES2020", "useDefineForClassFields": False, "paths": paths}}))
    made = folder / "sdk.js"
    subprocess.run(
        ["esbuild", str(folder / "entry.ts"), "--bundle", "--format=iife", "--global-name=firebase",
         f"--tsconfig={settings}", f"--outfile={made}", "--log-level=error"], check=True, cwd=folder)
    return made.read_text(encoding="utf-8")


def needs_all(script):
    """Skips a test of what the packaged SDK lacks: sign-up, linking, second factors."""
    if "TotpMultiFactorGenerator" not in script:
        pytest.skip("the web SDK in .build/web-sdk lacks what this needs; HEARTH_WEB_SDK names no checkout of firebase-js-sdk")
