"""The commands that the README shows are run as they stand there."""

import re
import subprocess

from conftest import HEARTH, ROOT


def blocks():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```sh\n(.*?)```", text, re.S)


def run(block, server):
    script = block.replace("127.0.0.1:9000", server.authority).replace("@Rules/", f"@{ROOT}/Rules/")
    script = re.sub(r"^alias hearth=.*$", "", script, flags=re.M)
    script = f'set -euo pipefail\nhearth() {{ "{HEARTH}" "$@"; }}\n{script}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=server.data.parent, capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_see_it_work(serve, starter_rules):
    server = serve(rules=starter_rules)
    output = run(next(block for block in blocks() if "TOKEN=" in block), server)
    assert '"text": "hello"' in output and "Permission denied" in output, output
    assert "rooms/lobby" in server.log()


def test_rules_over_rest(serve, starter_rules):
    server = serve(rules=starter_rules)
    output = run(next(block for block in blocks() if "SECRET=" in block), server)
    assert output.startswith(starter_rules) and output.count('"status"') == 2, output


def test_the_make_targets_exist():
    targets = re.findall(r"^make (\w+)", "\n".join(blocks()), re.M)
    assert set(targets) >= {"run", "test", "bench"}
    for target in targets:
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)
