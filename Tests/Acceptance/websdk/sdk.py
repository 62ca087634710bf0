"""The web SDK as its own repository has it, bundled for a page. `HEARTH_WEB_SDK` names a checkout of firebase-js-sdk."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
SOURCE = os.environ.get("HEARTH_WEB_SDK")
PACKAGES = {
    "@firebase/app": "app/src/index.ts", "@firebase/auth": "auth/index.ts", "@firebase/util": "util/index.ts",
    "@firebase/component": "component/index.ts", "@firebase/logger": "logger/index.ts"}


def bundle(folder):
    """A script that puts the app and auth packages into `firebase`. Not a line of theirs is changed."""
    if SOURCE is None or shutil.which("esbuild") is None:
        pytest.skip("HEARTH_WEB_SDK names no checkout of firebase-js-sdk, or there is no esbuild")
    packages = pathlib.Path(SOURCE) / "packages"
    paths = {name: [str(packages / path)] for name, path in PACKAGES.items()} | {"idb": [str(HERE / "idb.ts")]}
    settings = folder / "tsconfig.json"
    settings.write_text(json.dumps({"compilerOptions": {
        "baseUrl": str(folder), "target": "ES2020", "useDefineForClassFields": False, "paths": paths}}))
    made = folder / "sdk.js"
    subprocess.run(
        ["esbuild", str(HERE / "entry.ts"), "--bundle", "--format=iife", "--global-name=firebase",
         f"--tsconfig={settings}", f"--outfile={made}", "--log-level=error"], check=True, cwd=folder)
    return made.read_text(encoding="utf-8")
