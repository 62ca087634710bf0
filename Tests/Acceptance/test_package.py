"""The content of the Debian package, without building it: `make deb-test` installs one in a minimal Debian."""

import json
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, hearth

DEBIAN = ROOT / "Deploy" / "debian"


def commands(command, words):
    yield words
    for child in command.get("subcommands", []):
        if child["shouldDisplay"] and child["commandName"] != "help":
            yield from commands(child, words + [child["commandName"]])


def test_every_command_has_a_manual_page_with_its_help(tmp_path):
    dumped = hearth("--experimental-dump-help")
    subprocess.run([sys.executable, DEBIAN / "manual.py", tmp_path, "1.2.3"], input=dumped, text=True, check=True)
    names = {"-".join(words) + ".1" for words in commands(json.loads(dumped)["command"], ["hearth"])}
    assert {path.name for path in tmp_path.iterdir()} == names | {"hearth.conf.5"} and len(names) > 50
    page = (tmp_path / "hearth-serve.1").read_text(encoding="utf-8")
    assert "\\fB\\-\\-tls\\-cert\\fR \\fIfile\\fR" in page and "hearth 1.2.3" in page
    options = (tmp_path / "hearth.conf.5").read_text(encoding="utf-8")
    assert "\\fBtls\\-cert\\fR = \\fIfile\\fR" in options and "help" not in options
    for path in tmp_path.iterdir():
        lines = path.read_text(encoding="utf-8").split("\n")
        assert all(line.split(" ")[0] in (".TH", ".nh", ".SH", ".TP") for line in lines if line.startswith(".")), path


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is missing")
def test_the_systemd_unit_restricts_the_service(tmp_path):
    report = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=25", str(DEBIAN / "hearth.service")],
        capture_output=True, text=True)
    # The command succeeds when the exposure is at most 2.5 of 10.
    assert report.returncode == 0, report.stdout[-200:] + report.stderr
