"""Analysis of the access that rules expose: the answers, sentences and differences that scripts parse."""

import json

from conftest import hearth

RULES = {
    "rules": {
        "users": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}},
        "public": {".read": True, ".write": "auth.token.admin == true"},
    }
}


def write(folder, name, rules):
    path = folder / name
    path.write_text(json.dumps(rules))
    return str(path)


def test_exposure_names_every_location_and_lists_open_ones(tmp_path):
    answer = json.loads(hearth("rules", "exposure", write(tmp_path, "rules.json", RULES), "--json"))
    assert list(answer) == ["entries"]
    verdicts = {(entry["path"], entry["operation"], entry["who"]): entry for entry in answer["entries"]}
    assert verdicts["/users/$uid", "read", "nobody"]["verdict"] == "closed"
    assert verdicts["/users/$uid", "read", "other"]["verdict"] == "closed"
    assert verdicts["/users/$uid", "write", "anyone"]["verdict"] == "open"
    assert verdicts["/public", "write", "anyone"]["verdict"] == "closed"
    assert verdicts["/public", "write", "claim:admin"]["verdict"] == "open"
    assert ("/public", "read", "other") not in verdicts
    for entry in answer["entries"]:
        assert ("witness" in entry) == (entry["verdict"] == "open")
        if "witness" in entry:
            assert {"auth", "data", "path", "value", "now"} <= set(entry["witness"])
    sarif = json.loads(hearth("rules", "exposure", write(tmp_path, "rules.json", RULES), "--sarif"))
    assert sarif["version"] == "2.1.0"
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} == {
        "open-read-nobody", "open-read-anyone", "open-write-anyone",
    }


def test_assertions_are_proved_and_refuted(tmp_path):
    rules = write(tmp_path, "rules.json", RULES)
    assert "proved" in hearth(
        "rules", "assert", rules, "nobody can write /users", "signed-out people can't write /**",
        "other cannot read /users/*")
    # "nobody" includes owners: one signed-in owner with access refutes the assertion.
    owned = json.loads(hearth("rules", "assert", rules, "nobody can write /users/*", "--json", expect=1))
    assert owned["assertions"][0]["who"] == "anyone"
    assert "two negatives" in hearth("rules", "assert", rules, "nobody cannot write /**", expect=2)
    refuted = hearth("rules", "assert", rules, "signed-out people cannot read /**", expect=1)
    assert "refuted" in refuted and "/public" in refuted
    hearth("rules", "assert", rules, "everybody can read /", expect=2)
    hearth("rules", "assert", write(tmp_path, "broken.json", {"rules": {".read": "x"}}), "nobody can read /", expect=2)


def test_a_difference_has_a_witness_request(tmp_path):
    old = write(tmp_path, "old.json", RULES)
    wider = json.loads(json.dumps(RULES))
    wider["rules"]["users"]["$uid"][".read"] = "auth != null"
    new = write(tmp_path, "new.json", wider)
    assert "no difference" in hearth("rules", "diff", old, old)
    answer = json.loads(hearth("rules", "diff", old, new, "--json", expect=1))
    assert [(entry["path"], entry["operation"], entry["who"]) for entry in answer["opened"]] == [
        ("/users/$uid", "read", "anyone")
    ]
    assert answer["closed"] == [] and answer["undecided"] == []
    hearth("rules", "diff", new, old)
    # A user may have several claims, of which no single one suffices.
    wider["rules"]["public"][".write"] = "auth.token.admin == true || auth.token.a == 1 && auth.token.b == 2"
    answer = json.loads(hearth("rules", "diff", new, write(tmp_path, "wider.json", wider), "--json", expect=1))
    assert [(entry["path"], entry["who"]) for entry in answer["opened"]] == [("/public", "any-claims")]


def test_a_difference_can_need_an_update_of_several_paths(tmp_path):
    rule = "!root.child('b').exists() && newData.parent().child('b').val() == 1"
    rules = {"rules": {"a": {".write": rule + " && false"}, "b": {".write": "auth != null"}}}
    old = write(tmp_path, "old.json", rules)
    rules["rules"]["a"][".write"] = rule
    new = write(tmp_path, "new.json", rules)
    opened = json.loads(hearth("rules", "diff", old, new, "--json", expect=1))["opened"]
    # A write of /a alone finds no value at /b, and must leave no value there.
    assert [(entry["path"], entry["who"], sorted(entry["witness"]["updates"])) for entry in opened] == [
        ("/a", "anyone", ["/a", "/b"])
    ]
    assert "in the same update" in hearth("rules", "diff", old, new, expect=1)
