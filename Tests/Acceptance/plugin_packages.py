"""Puts packages that plugins in Python need into their folders, as `pip install --target packages` does."""

import importlib.metadata
import pathlib
import re
import shutil

from conftest import ROOT


def plugin_with_packages(name, folder, *packages):
    """Copies a plugin of Plugins/, with these packages and their dependencies as they are installed here.

    Leaves out files that no test needs, because the server syncs each file to the disk.
    """
    copy = shutil.copytree(ROOT / "Plugins" / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "hearth_plugin", "packages"))
    shutil.copytree(ROOT / "Plugins" / "Python" / "hearth_plugin", copy / "hearth_plugin")
    needed, taken = list(packages), {"tzdata"}
    while needed:
        package = needed.pop()
        if package in taken:
            continue
        taken.add(package)
        distribution = importlib.metadata.distribution(package)
        for path in distribution.files:
            if ".." not in path.parts and path.suffix not in (".pyc", ".pyi"):
                target = copy / "packages" / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path.locate(), target)
        needed += [
            re.match(r"[A-Za-z0-9._-]+", requirement)[0] for requirement in distribution.requires or []
            if "extra ==" not in requirement]
    return pathlib.Path(copy)
