"""The REST interface as curl users and tools see it."""

import requests
from waits import WAIT_SECONDS

RULES = """{ "rules": {
  "open": { ".read": true, ".write": true },
  "users": { "$uid": { ".read": "auth.uid == $uid", ".write": "auth.uid == $uid" } }
} }"""


def call(server, method, path, status, body=None, **parameters):
    answer = requests.request(
        method, server.url + path, params=parameters, data=body, timeout=WAIT_SECONDS, headers={"Connection": "close"})
    assert answer.status_code == status, (answer.status_code, answer.text)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    return answer


def test_values_come_back_as_they_were_written(serve):
    server = serve(rules=RULES)
    call(server, "PUT", "/open/a.json", 200, '{"b":[1,null,"x"],"n":1.0,"big":9007199254740993}')
    answer = call(server, "GET", "/open/a.json", 200)
    assert answer.text == '{"b":[1,null,"x"],"big":9007199254740993,"n":1}'
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    assert call(server, "GET", "//open//a/b/.json", 200).text == '[1,null,"x"]'
    assert call(server, "GET", "/open/none.json", 200).text == "null"
    pretty = call(server, "GET", "/open/a/b.json", 200, print="pretty").text
    assert pretty.startswith("[ 1,") or pretty.startswith("[\n"), pretty
    assert call(server, "GET", "/open/a.json", 204, print="silent").text == ""
    assert call(server, "PATCH", "/open/a.json", 200, '{"n":null,"b/0":7}').json() == {"n": None, "b/0": 7}
    name = call(server, "POST", "/open/list.json", 200, '{"x":1}').json()["name"]
    assert len(name) == 20
    assert call(server, "GET", f"/open/list/{name}/x.json", 200).text == "1"
    assert call(server, "DELETE", "/open/list.json", 200).text == "null"
    assert call(server, "PATCH", "/open/a.json", 200, "null").text == "null"
    assert call(server, "GET", "/open.json", 200).text == "null"


def test_errors_have_the_documented_status_and_text(serve):
    server = serve(rules=RULES)

    def error(method, path, status, body=None, **parameters):
        return call(server, method, path, status, body, **parameters).json()["error"]

    assert error("GET", "/closed.json", 401) == "Permission denied"
    assert error("PUT", "/closed.json", 401, "1") == "Permission denied"
    assert error("PUT", "/open/a.json", 400, "") == "Error: No data supplied."
    invalid = "Invalid data; couldn't parse JSON object, array, or value."
    for body in ('{"a":', '{"a.b":1}', "1e400", '"\\ud800"', "[1,]", "nope"):
        assert error("PUT", "/open/a.json", 400, body).startswith(invalid), body
    assert error("PATCH", "/open/a.json", 400, "[1]").startswith("Invalid data; couldn't parse JSON object.")
    assert error("GET", "/open/a.b.json", 400) == "Invalid token in path"
    assert error("GET", "/.info/connected.json", 400) == "Invalid token in path"
    assert error("GET", "/open/a.json", 401, auth="nonsense") == "Could not parse auth token."
    assert error("GET", "/.json", 401, access_token="owner") == "Unauthorized request."
    assert ".json" in call(server, "GET", "/open/a", 400).text
    assert error("GET", "/open/a.json", 404, ns="no such database")


def test_tokens_work_in_each_place(serve):
    server = serve(rules=RULES)
    alice, secret = server.token("alice"), server.secret()
    call(server, "PUT", "/users/alice.json", 200, '"hi"', auth=alice)
    call(server, "GET", "/users/alice.json", 401)
    call(server, "GET", "/users/bob.json", 401, auth=alice)
    assert call(server, "GET", "/users.json", 200, auth=secret).json() == {"alice": "hi"}
    admin = server.run("token", "mint", "--admin").strip()
    assert call(server, "GET", "/users.json", 200, access_token=admin).json() == {"alice": "hi"}
    answer = requests.get(
        server.url + "/users.json", headers={"Authorization": f"Bearer {admin}"}, timeout=WAIT_SECONDS)
    assert answer.json() == {"alice": "hi"}
    call(server, "GET", "/users.json", 400, access_token=admin, auth=alice)
    log = server.log()
    for text in (alice, secret, admin):
        assert text not in log


def test_preflight_needs_no_credential(serve):
    server = serve(rules=RULES)
    answer = requests.options(
        server.url + "/closed.json", timeout=WAIT_SECONDS,
        headers={"Origin": "http://app.example", "Access-Control-Request-Method": "PUT",
                 "Access-Control-Request-Headers": "authorization,if-match"})
    assert answer.status_code in (200, 204)
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
    assert "if-match" in answer.headers["Access-Control-Allow-Headers"].lower()


def test_databases_are_separate_and_created_only_by_an_administrator(serve):
    server = serve(rules=RULES)
    call(server, "PUT", "/open/a.json", 200, "1")
    call(server, "PUT", "/open/a.json", 404, "2", ns="second")
    call(server, "PUT", "/.settings/rules.json", 401, RULES, ns="second")
    call(server, "PUT", "/.settings/rules.json", 200, RULES, ns="second", auth=server.secret())
    call(server, "PUT", "/open/a.json", 200, "2", ns="second")
    assert call(server, "GET", "/open/a.json", 200).text == "1"
    assert call(server, "GET", "/open/a.json", 200, ns="second").text == "2"
    server.stop()
    server.start()
    assert call(server, "GET", "/open/a.json", 200, ns="second").text == "2"


def test_a_bad_rules_file_is_refused_and_the_last_good_one_stays(serve):
    server = serve(rules=RULES)
    bad = '{\n  "rules": {\n    ".read": "nope"\n  }\n}'
    answer = call(server, "PUT", "/.settings/rules.json", 400, bad, auth=server.secret())
    assert answer.json()["error"].startswith("3:") and "Unknown variable 'nope'." in answer.json()["error"]
    call(server, "PUT", "/.settings/rules.json", 200, '{"rules":{}}', auth=server.secret(), dryRun="true")
    call(server, "PUT", "/open/a.json", 200, "1")
