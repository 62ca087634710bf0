"""The client library's files for Apple's systems, checked against declarations of Apple's frameworks: names and types are right. What
only Apple's compiler knows is not checked: availability, bridging of Foundation's types, and Objective-C."""

import json
import pathlib
import subprocess

import pytest

from conftest import HEARTH, ROOT

DECLARATIONS = ROOT / "Tests/Support/AppleModules"
FRAMEWORKS = ["AuthenticationServices", "Network", "Security"]
# The systems by what their files ask for: macOS has no UIKit.
SYSTEMS = {"macOS": FRAMEWORKS, "iOS": [*FRAMEWORKS, "UIKit"]}
# Arguments for outputs that a check does not have, some with a value.
OUTPUTS = ["-O", "-j2", "-serialize-diagnostics", "-parseable-output", "-emit-objc-header"]
OUTPUTS_WITH_VALUE = ["-num-threads", "-emit-objc-header-path"]


@pytest.fixture(scope="module")
def check():
    """A command that checks the library's files, with the arguments of the build."""
    commands = json.loads((pathlib.Path(HEARTH).parent / "description.json").read_text())["swiftCommands"]
    build = next(command for command in commands.values() if command["moduleName"] == "HearthClient")
    arguments, words = [], iter(build["otherArguments"])
    for word in words:
        if word in OUTPUTS_WITH_VALUE:
            next(words)
        elif word not in OUTPUTS:
            arguments.append(word)
    return [build["executable"], *build["sources"], "-module-name", "HearthClient", "-I", build["importPath"], *arguments, "-typecheck"]


def compile_module(name, text, folder):
    source = folder / f"{name}.swift"
    source.write_text(text)
    subprocess.run(["swiftc", "-emit-module", "-swift-version", "6", "-parse-as-library", "-module-name", name, "-o",
                    folder / f"{name}.swiftmodule", source], check=True)


def declarations(name):
    return (DECLARATIONS / f"{name}.swift").read_text()


@pytest.mark.parametrize("system", SYSTEMS)
def test_files_for_apple_systems_use_the_frameworks_right(system, check, tmp_path):
    for name in SYSTEMS[system]:
        compile_module(name, declarations(name), tmp_path)
    result = subprocess.run([*check, "-I", tmp_path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_a_wrong_name_is_found(check, tmp_path):
    compile_module("Security", declarations("Security").replace("func SecItemDelete(", "func SecItemRemove("), tmp_path)
    result = subprocess.run([*check, "-I", tmp_path], capture_output=True, text=True)
    assert result.returncode != 0 and "cannot find 'SecItemDelete' in scope" in result.stderr
