import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

/// Tests of the questions about writes: the kinds of writes, the rules above and below, and common errors about them.
@Suite struct WriteFormTests {
  @Test func `a grant above a location applies to it, and an evaluation error does not end the search for a grant`()
    throws
  {
    let fixture = try ExposureFixture(
      "{'a':{'.write':'auth != null','b':{'.write':'false'}},'c':{'.write':'data.val().length > 0 && false','d':{'.write':'true'}}}"
    )
    #expect(try fixture.verdict(.write, "/a/b") == "open")
    #expect(try fixture.verdict(.write, "/a/b", .signedOut) == "closed")
    #expect(try fixture.verdict(.write, "/c/d", .signedOut) == "open")
    #expect(try fixture.verdict(.write, "/c", .signedOut) == "closed")
    #expect(try fixture.verdict(.write, "/", .signedOut) == "closed")
  }

  @Test func `null equals null for a signed-out client`() throws {
    let fixture = try ExposureFixture(
      "{'a':{'.write':'data.child(`owner`).val() == auth.uid'},'b':{'.write':'data.child(`owner`).val() == auth.uid && data.exists()'}}"
    )
    #expect(try fixture.verdict(.write, "/a", .signedOut) == "open")
    #expect(try fixture.verdict(.write, "/b", .signedOut) == "open")
  }

  @Test func `a uid may contain slashes, and an empty string is no key`() throws {
    #expect(
      try ExposureFixture.read(
        "!root.child(`t/x/` + auth.uid).exists() && root.child(`t/x/` + auth.uid).parent().isString()")
        == "open")
    let fixture = try ExposureFixture(
      "{'t':{'$t':{'.read':'root.child(`t/` + $t + `/` + auth.uid).isString() && root.child(`t/` + $t).isString()'}}}")
    #expect(try fixture.verdict(.read, "/t/$t") == "open")
    #expect(try ExposureFixture.write("root.child(newData.val()).exists() && newData.val() == ``") == "closed")
  }

  @Test func `deleting a location below a leaf does not delete the leaf`() throws {
    let fixture = try ExposureFixture("{'a':{'.validate':'newData.isString()','b':{'.write':'!newData.exists()'}}}")
    #expect(try fixture.verdict(.write, "/a/b") == "open")
    let strict = try ExposureFixture(
      "{'a':{'b':{'.write':'newData.parent().isString() && data.parent().hasChildren()'}}}")
    #expect(try strict.verdict(.write, "/a/b") == "closed")
  }

  @Test func `a deletion skips the validate rule of its own location but not those above`() throws {
    let own = try ExposureFixture("{'a':{'.write':'true','.validate':'false'}}")
    #expect(try own.verdict(.write, "/a") == "open")
    let above = try ExposureFixture(
      "{'a':{'.validate':'newData.hasChild(`b`)','b':{'.write':'true','.validate':'false'},'c':{'.write':'true','.validate':'false'}}}"
    )
    #expect(try above.verdict(.write, "/a/b") == "open")  // Without children `a` itself is deleted.
    let kept = try ExposureFixture(
      "{'a':{'.validate':'newData.hasChild(`b`) && false','b':{'.write':'data.parent().hasChild(`c`)','.validate':'false'}}}"
    )
    #expect(try kept.verdict(.write, "/a/b") == "closed")
  }

  @Test func `written children are validated by named and wildcard rules`() throws {
    let fixture = try ExposureFixture(
      "{'reviews':{'.write':'newData.child(`name`).isString()','$review':{'.validate':'newData.hasChildren([`stars`])','stars':{'.validate':'newData.isNumber()'}}}}"
    )
    // `name` is a review itself, and must have stars: only the priority of an administrator's data can be set.
    let witness = try fixture.witness(.write, "/reviews")
    #expect(witness.changes[0].isPriority)
    let other = try ExposureFixture(
      "{'a':{'.write':'newData.child(`x`).isNumber() && !data.exists()','x':{'.validate':'newData.isString()'}}}")
    #expect(try other.verdict(.write, "/a") == "closed")
    let extra = try ExposureFixture(
      "{'a':{'.write':'newData.hasChildren()','x':{'.validate':'newData.val() == 7'},'$other':{'.validate':false}}}")
    #expect(try extra.verdict(.write, "/a") == "open")
    #expect(try extra.verdict(.write, "/a/$other") == "open")  // The open access is a deletion.
    let none = try ExposureFixture(
      "{'a':{'.write':'newData.hasChildren() && !data.exists()','x':{'.validate':false},'$other':{'.validate':false}}}")
    #expect(try none.verdict(.write, "/a") == "closed")
  }

  @Test func `a child that no rule names can be written where its parent cannot`() throws {
    let fixture = try ExposureFixture(
      "{'a':{'.write':'data.child(`x`).val() == 1 && newData.child(`x`).val() == 1','x':{'.validate':false}}}")
    let witness = try fixture.witness(.write, "/a")
    #expect(witness.path.count == 2)
  }

  @Test func `a key in the path may be the name of another rule`() throws {
    // With `name` for `$id`, the rule reads above the written location, whose value is then not a string.
    let fixture = try ExposureFixture(
      "{'reviews':{'$id':{'name':{'.write':'newData.parent().parent().child(`name`).isString() && data.parent().parent().hasChild(`x`)'}}}}"
    )
    #expect(try fixture.verdict(.write, "/reviews/$id/name") == "open")
  }

  @Test func `a priority is written where the value cannot be`() throws {
    let fixture = try ExposureFixture(
      "{'a':{'.write':'newData.getPriority() == 3 && newData.hasChildren()','b':{'.validate':false},'$c':{'.validate':false}}}"
    )
    let witness = try fixture.witness(.write, "/a")
    #expect(witness.changes[0].isPriority)
    #expect(witness.json["path"]?.string == "/a/.priority")
  }

  @Test func `an update may change siblings`() throws {
    let fixture = try ExposureFixture(
      "{'m':{'$m':{'a':{'.write':'newData.parent().hasChildren([`a`,`b`]) && !data.parent().exists()'},'b':{'.write':'newData.parent().hasChildren([`a`,`b`]) && !data.parent().exists()'}}}}"
    )
    #expect(try fixture.verdict(.write, "/m/$m/a") == "closed")
    let witness = try fixture.witness(.write, "/m/$m/a", update: true)
    #expect(witness.changes.count == 2)
    #expect(witness.decision(by: fixture.rules).isAllowed)
    let closed = try ExposureFixture(
      "{'m':{'$m':{'a':{'.write':'newData.parent().hasChild(`b`) && !data.parent().exists()'},'b':{'.write':'root.child(`x`).val() == 1 && root.child(`x`).val() == 2'}}}}"
    )
    #expect(try closed.verdict(.write, "/m/$m/a") == "closed")
    #expect(try closed.verdict(.write, "/m/$m/a", update: true) != "open")
  }

  @Test func `a wildcard does not match a key with a rule of its own`() throws {
    let fixture = try ExposureFixture(
      "{'a':{'$k':{'.read':'$k == `x`'},'x':{},'b':{'$k':{'.read':'$k == `a/b` || $k == `` || $k.contains(`.`)'}}}}")
    #expect(try fixture.verdict(.read, "/a/$k") == "closed")
    #expect(try fixture.verdict(.read, "/a/b/$k") == "closed")
  }
}
