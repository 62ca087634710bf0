import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

/// Tests of each rule of inference: conditions that it proves closed, and similar ones that must stay open.
@Suite struct TheoryTests {
  @Test(
    "unsatisfiable rules are closed",
    arguments: [
      // Types.
      "data.isString() && data.isNumber()", "!data.exists() && data.hasChildren()",
      "!(data.val() > 3) && data.isString()",
      "data.val() == 1 && data.isString()", "data.val().length > 0 && data.val() == 5",
      "data.isBoolean() && data.val() != true && data.val() != false",
      // Short circuits and errors.
      "null == 1 || data.val() + 1 == 1 && !data.exists()", "root.parent().exists() || true",
      "(data.val() > 1 ? false : false) && data.isString()", "data.isString() && data.val() - 1 == 0",
      // Equality and congruence.
      "data.child(`x`).val() != data.child(`x`).val() && data.child(`x`).isString()",
      "data.val() == 1 && root.child(`a`).val() == 2",
      "root.child(`a/b`).val() == 1 && data.child(`b`).parent().child(`b`).val() == 2",
      "newData.child(`k`).val() == `x` && newData.child(newData.child(`k`).val()).exists() && !newData.hasChild(`x`)",
      // Constants.
      "`abc`.length == 2", "`A`.toLowerCase() == `A`", "1 + 1 == 3", "data.val() == `ab` && data.val().length != 2",
      "data.val() == `a-b` && data.val().replace(`-`, `+`) != `a+b`",
      // The data tree.
      "data.isString() && data.child(`x`).exists()", "!data.exists() && data.hasChild(`x/y`)",
      "data.child(`x/y`).exists() && !data.child(`x`).exists()", "data.hasChild(`x.y`)", "data.child(``).exists()",
      "!data.exists() && data.child(`x`).getPriority() != null",
      // Numbers.
      "data.val() < 1 && data.val() > 1", "data.val() < newData.val() && newData.val() < data.val()",
      "data.val() <= 3 && data.val() >= 3 && data.val() != 3", "data.val().length < 0", "now < 1000",
      "data.val() == now && data.val() + 10000 <= now", "newData.val() > now && newData.val() < now - 5000",
      "data.val() - 1 > data.val()",
      "data.val() > 1 && data.val() < newData.val() && newData.val() <= 1",
      // Strings.
      "data.val() < data.val() && data.isString()", "data.val().matches(/^a+$/) && data.val().contains(`b`)",
      "data.val().beginsWith(`a`) && data.val().matches(/^[b-z]/)",
      "data.val().length == 2 && data.val().matches(/^a{3}$/)",
      "data.val().toLowerCase().contains(`A`)", "!data.val().contains(data.val())",
      "data.val().matches(/^(a|b)$/) && data.val() != `a` && data.val() != `b`",
      "(`x` + data.val()) == `y` && data.isString()", "auth.uid == ``", "auth.uid.length > 128",
      // Claims.
      "auth.token.admin == true", "auth.token.admin != null", "auth.token.email == 1", "auth.uid.x == 1",
      "auth.token.email_verified == `true`", "auth.provider != auth.token.firebase.sign_in_provider",
      "auth.token.sub != auth.uid", "auth.id == `x`", "auth.token[`admin`] == true",
      // Query fields in a write.
      "query.orderByKey", "query.limitToFirst <= 10",
    ])
  func closed(rule: String) throws {
    #expect(try ExposureFixture.write(rule) == "closed")
  }

  @Test(
    "satisfiable rules are open",
    arguments: [
      "true", "auth != null", "data.exists() || newData.exists()", "data.val() != data.val()", "!(data.val() > 3)",
      "data.val() != newData.val()", "(data.val() / 0) != (data.val() / 0)", "!(data.val() / 0 < 1)",
      "data.child(`x`).exists()", "root.child(`staff/` + auth.uid).exists()", "data.child(`x`).getPriority() == 7",
      "newData.getPriority() == `p`", "data.val() + 1 == newData.val()",
      "newData.val() > now - 1000 && newData.val() <= now",
      "data.val() * 3 == 12", "(data.val() + ``).matches(/^-?[0-9]+$/)", "data.val() < newData.val()",
      "data.val().matches(/^[A-Z]{3}-[0-9]{4}$/)", "data.val().length == 250", "data.val().length > 400",
      "auth.token.email.endsWith(`@example.com`) && auth.token.email_verified == true", "auth.token.iat < now / 1000",
      "newData.hasChildren([`x`, `y`]) && newData.child(`x`).isNumber()", "data.val().contains(newData.val())",
      "newData.child(`k`).val().toUpperCase() == newData.child(`k`).val()",
      "newData.child(newData.child(`k`).val()).exists()",
      "data.val().replace(`a`, `b`) == `bb`", "newData.val() == data.val() + `x`",
      "data.val() % 2 == 1 && data.val() > 10", "newData.val() >= 1 && newData.val() <= 5 && newData.val() % 1 != 0",
      "newData.val() > 100 && newData.val() % 7 == 3", "newData.val() < 0 && newData.val() % 1 != 0",
      "`abc`.contains(newData.val())", "newData.hasChildren()", "!newData.exists()", "newData.hasChildren([])",
      "newData.val() == now", "data.isBoolean() && newData.val() != data.val()", "-data.val() == 5",
      "auth.token.firebase.identities[`google.com`][0] != null", "data.val() > `m`", "auth.uid.contains(`/`)",
      "(auth.token.email_verified == true ? data : newData).exists()",
    ])
  func open(rule: String) throws {
    #expect(try ExposureFixture.write(rule) == "open")
  }

  @Test(
    "the operations open to each kind of caller are found",
    arguments: [
      ("auth == null", "open", "closed"), ("auth != null", "closed", "open"),
      ("auth.uid == data.val()", "open", "open"),
      ("auth.uid == $k", "closed", "open"), ("auth.uid != null && auth.uid != $k", "closed", "open"),
      ("auth.token.email == null", "open", "open"), ("auth.uid.length > 0", "closed", "open"),
      ("data.child(auth.uid).exists()", "closed", "open"), ("auth.token.admin == null", "open", "open"),
    ])
  func classes(rule: String, nobody: String, anyone: String) throws {
    #expect(try ExposureFixture.read(rule, .signedOut) == nobody)
    #expect(try ExposureFixture.read(rule, .signedIn) == anyone)
  }

  @Test func `the identity class of another user excludes the uids that the path names`() throws {
    #expect(try ExposureFixture.read("auth.uid == $k", .otherUser) == "closed")
    #expect(try ExposureFixture.read("$k != auth.uid && auth != null", .otherUser) == "open")
    #expect(try ExposureFixture.read("auth.uid == $k || data.child(`open`).val() == true", .otherUser) == "open")
    #expect(try ExposureFixture.read("root.child(`a/` + $k + `/` + auth.uid).exists()", .otherUser) == "-")
  }

  @Test func `a user with a claim has that claim and no other`() throws {
    let admin = ExposureIdentity.holder(["admin"], .bool(true))
    #expect(try ExposureFixture.read("auth.token.admin == true", admin) == "open")
    #expect(try ExposureFixture.read("auth.token.admin == true && auth.token.root == true", admin) == "closed")
    #expect(try ExposureFixture.read("auth.token.role == `editor`", .holder(["role"], .string("editor"))) == "open")
    #expect(try ExposureFixture.read("auth.token.role == `editor`", .holder(["role"], .string("x"))) == "closed")
    let fixture = try ExposureFixture(
      "{'.read':'auth.token.role == `editor` || auth.token.admin == true || auth.token.a.b == 2'}")
    #expect(
      fixture.exposure.identities.map(\.name) == [
        "nobody", "anyone", "other", "claim:role=editor", "claim:admin", "claim:a.b=2",
      ])
  }

  @Test func `verdicts on reads are for every query`() throws {
    #expect(try ExposureFixture.read("query.orderByKey == true && query.limitToFirst <= 10") == "open")
    #expect(try ExposureFixture.read("query.orderByChild == `owner` && query.equalTo == auth.uid") == "open")
    #expect(try ExposureFixture.read("query.orderByKey && query.orderByValue") == "closed")
    #expect(try ExposureFixture.read("query.orderByChild != null && query.orderByKey") == "closed")
    #expect(try ExposureFixture.read("query.limitToFirst != null && query.limitToLast != null") == "closed")
  }

  @Test func `no request is earlier than the given time`() throws {
    #expect(try ExposureFixture.read("now < 1614747600000") == "closed")
    #expect(try ExposureFixture.read("now < \(ExposureFixture.now + 5)") == "open")
  }
}
