"""The site of the guide: it is built from the pages of this checkout, and its checks find what is wrong."""

import subprocess
import sys

import pytest

from conftest import ROOT

SITE = ROOT / "Sources/Guide/Site"
PYTHON = ROOT / ".build/site/bin/python"
sys.path.insert(0, str(SITE))
import build_site  # noqa: E402
import check_site  # noqa: E402


def test_every_page_is_built_and_every_link_leads_somewhere(tmp_path):
    if not (ROOT / ".build/site/ready").exists():
        pytest.skip("the generator is not installed")
    done = subprocess.run([PYTHON, SITE / "build_site.py", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (version,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    for page in (ROOT / "Sources/Guide").glob("*.md"):
        name = "index" if page.stem == "README" else page.stem
        assert (version / f"{name}.html").exists(), name
    front = (version / "index.html").read_text(encoding="utf-8")
    assert front.count('class="front-card"') == 3 and "PocketBase" in front and "console-denial-dark.png" in front
    assert (version / "searchindex.js").exists()
    assert f'url={version.name}/index.html' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_older_versions_are_listed_beside_the_new_one(tmp_path):
    for name in ("0.9.0", "0.10.0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("")
    build_site.write_versions(tmp_path, "0.10.0")
    listed = (tmp_path / "versions.html").read_text(encoding="utf-8")
    assert listed.index("0.10.0/index.html") < listed.index("0.9.0/index.html")
    assert "url=0.10.0/index.html" in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("markup, problem", [
    ('<a href="none.html">', "index.html: none.html leads nowhere"),
    ('<a href="other.html#none">', "index.html: other.html#none leads to no heading"),
    ('<img src="Images/none.png">', "index.html: Images/none.png leads nowhere"),
    ('<script src="https://example.com/a.js"></script>', "index.html: requests https://example.com/a.js"),
    ('<link rel="stylesheet" href="//example.com/a.css">', "index.html: requests //example.com/a.css"),
    ('<a href="other.html#there">', None),
    ('<a href="https://example.com/">', None),
])
def test_a_page_with_a_wrong_address_is_a_problem(tmp_path, markup, problem):
    (tmp_path / "index.html").write_text(markup)
    (tmp_path / "other.html").write_text('<h2 id="there">')
    assert check_site.problems(tmp_path) == ([problem] if problem else [])
