"""The commands that the README and the first guides show are run as they stand there."""

import json
import re
import subprocess

from conftest import HEARTH, PATIENT_CURL, ROOT
from waits import WAIT_SECONDS


GUIDES = ROOT / "Sources/Guide/HearthGuide.docc"


def blocks(page=ROOT / "README.md"):
    return re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.S)


def started():
    """The blocks of the guide that a newcomer reads first."""
    return blocks(GUIDES / "GettingStarted.md")


def run(block, server):
    script = block.replace("127.0.0.1:9000", server.authority).replace("@Rules/", f"@{ROOT}/Rules/")
    script = re.sub(r"^alias hearth=.*$", "", script, flags=re.M)
    script = f'set -euo pipefail\nhearth() {{ "{HEARTH}" "$@"; }}\n{PATIENT_CURL}\n{script}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=server.data.parent, capture_output=True, text=True, timeout=4 * WAIT_SECONDS,
        stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_see_it_work(serve, starter_rules):
    server = serve(rules=starter_rules)
    output = run(next(block for block in blocks() if "TOKEN=" in block), server)
    assert '"text" : "hello"' in output and "Permission denied" in output, output
    assert output.count('"text":"hello"') == 2 and output.count("event: put") == 1, output
    assert "rooms/lobby" in server.log()


def test_rules_over_rest(serve, starter_rules):
    server = serve(rules=starter_rules)
    output = run(next(block for block in blocks(GUIDES / "WritingRules.md") if "SECRET=" in block), server)
    assert output.startswith(starter_rules) and output.count('"status"') == 2, output


def test_accounts(serve, starter_rules):
    server = serve(command="dev", rules=starter_rules)
    output = run(next(block for block in started() if "ACCOUNTS=" in block), server)
    assert '{"color":"green"}' in output and "ann@example.com" in output, output
    assert output.index("Auth token is expired") < output.index("user_disable"), output
    assert re.search(r"user_disable \S+  looked at 0, kept 0, cut 0", output), output


def test_a_backup_over_http(serve, starter_rules):
    server = serve(rules=starter_rules)
    server.run("db", "set", "/a", '{".value":1,".priority":2}')
    run(next(block for block in started() if "ADMIN=" in block), server)
    kept = json.loads((server.data.parent / "backup-over-http.json").read_text(encoding="utf-8"))
    assert kept == {"a": {".value": 1, ".priority": 2}}


def test_every_command_is_in_the_table():
    table = (GUIDES / "Commands.md").read_text(encoding="utf-8")

    def subcommands(*command):
        done = subprocess.run([HEARTH, *command, "--help"], check=True, capture_output=True, text=True)
        _, _, listed = done.stdout.partition("SUBCOMMANDS:\n")
        return re.findall(r"^  ([a-z-]+)", listed, re.M)

    for command in subcommands():
        row = next(line for line in table.splitlines() if line.startswith(f"| `hearth {command}"))
        for name in subcommands(command):
            assert re.search(rf"\b{name}\b", row), f"{command} {name}"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


def test_links_lead_to_files():
    for path in [ROOT / "README.md", ROOT / "Plugins" / "README.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_make_targets_exist():
    targets = re.findall(r"^make (\w+)", "\n".join(blocks()), re.M)
    assert set(targets) >= {"run", "test", "bench", "docs"}
    for target in targets:
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)
