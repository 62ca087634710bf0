"""Runs the commands of the README and of the first guides as they stand."""

import json
import re
import subprocess

import guide_examples
from conftest import HEARTH, ROOT
from guide_examples import GUIDES, block, blocks


def run(script, server):
    return guide_examples.run(script, server.data.parent, server.authority)


def test_the_first_commands_of_the_readme_run(serve, starter_rules):
    server = serve(rules=starter_rules)
    output = run(block("README.md", "hearth db push"), server)
    assert '"error" : "Permission denied"' in output, output
    assert '"text":"hello"' in server.run("db", "get", "/rooms/lobby/messages")
    # The console lists the denial of the log, and explains it as this command does.
    trace = re.search(r"trace=([\w-]+)", server.log())
    explained = server.run("rules", "explain", "--trace", trace[1], expect=1)
    assert "read /rooms/lobby is denied" in explained and "auth != null" in explained, explained


def test_the_rules_commands_over_rest_run(serve, starter_rules):
    server = serve(rules=starter_rules)
    output = run(block("WritingRules.md", "SECRET="), server)
    assert output.startswith(starter_rules) and output.count('"status"') == 2, output


def test_the_account_commands_run(serve, starter_rules):
    server = serve(command="dev", rules=starter_rules)
    output = run(block("GettingStarted.md", "ACCOUNTS=") + block("GettingStarted.md", "users disable"), server)
    assert '{"color":"green"}' in output and "ann@example.com" in output, output
    assert output.index("Permission denied") < output.index("Auth token is expired"), output
    assert output.index("Auth token is expired") < output.index("user_disable"), output
    assert re.search(r"user_disable \S+  examined 0, kept 0, cancelled 0", output), output


def test_the_backup_command_over_http_runs(serve, starter_rules):
    server = serve(rules=starter_rules)
    server.run("db", "set", "/a", '{".value":1,".priority":2}')
    run(block("GettingStarted.md", "ADMIN="), server)
    kept = json.loads((server.data.parent / "backup-over-http.json").read_text(encoding="utf-8"))
    assert kept == {"a": {".value": 1, ".priority": 2}}


def test_every_command_is_in_the_table_of_commands():
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
    for path in [ROOT / "README.md", ROOT / "Plugins" / "README.md", *(ROOT / ".github").glob("*.md")]:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_make_targets_exist():
    targets = re.findall(r"^make (\w+)", "\n".join(blocks()), re.M)
    assert set(targets) >= {"run", "test", "bench", "docs"}
    for target in targets:
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)
