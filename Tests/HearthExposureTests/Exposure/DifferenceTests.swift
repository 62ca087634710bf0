import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

@Suite struct DifferenceTests {
  private func changes(_ old: String, _ new: String) throws -> [String] {
    let (before, after) = (try ExposureFixture.compile(old), try ExposureFixture.compile(new))
    let difference = RulesDifference(from: before, to: after, nowMilliseconds: ExposureFixture.now)
    return difference.entries().map { entry in
      if case .open(let witness, _) = entry.verdict {
        let isOpened = entry.direction == .opened
        #expect(witness.decision(by: after).isAllowed == isOpened)
        #expect(witness.decision(by: before).isAllowed == !isOpened)
      }
      return
        "\(entry.direction) \(entry.question.operation) \(entry.question.location.template) \(entry.question.identity.name) \(entry.verdict.name)"
    }
  }

  @Test func `equivalent rules have no difference`() throws {
    #expect(
      try changes(
        "{'a':{'.read':'auth != null && data.exists()'}}", "{'a':{'.read':'!(auth == null || !data.exists())'}}"
      ).isEmpty)
    #expect(try changes("{'$a':{'.write':'auth.uid == $a'}}", "{'$b':{'.write':'$b === auth.uid'}}").isEmpty)
    #expect(try changes("{'a':{'.write':'true'}}", "{'a':{'.write':'true','b':{'.write':'false'}}}").isEmpty)
    #expect(
      try changes(
        "{'a':{'.write':'auth != null','.validate':'newData.isString()'}}",
        "{'a':{'.write':'auth != null','.validate':'newData.isString() && newData.exists()'}}"
      ).isEmpty)
  }

  @Test func `a dropped condition opens`() throws {
    let opened = try changes("{'$u':{'.read':'auth != null && auth.uid == $u'}}", "{'$u':{'.read':'auth != null'}}")
    #expect(opened == ["opened read /$u anyone open", "opened read /$u other open"])
    #expect(
      try changes("{'a':{'.write':'true','.validate':'newData.isString()'}}", "{'a':{'.write':'true'}}").contains(
        "opened write /a nobody open"))
  }

  @Test func `a new condition closes an access, and an evaluation error is a refusal`() throws {
    #expect(try changes("{'a':{'.read':'true'}}", "{'a':{'.read':'auth != null'}}") == ["closed read /a nobody open"])
    #expect(
      try changes("{'a':{'.read':'auth != null'}}", "{'a':{'.read':'auth != null && data.val() > 1 || auth != null'}}")
        .contains("closed read /a anyone open"))
    #expect(
      try changes("{'a':{'.write':'true'}}", "{'a':{'.write':'true','b':{'.validate':'newData.val() > 1'}}}").contains(
        "closed write /a nobody open"))
  }

  @Test func `a named key in one file matches the wildcard in the other`() throws {
    let opened = try changes("{'$k':{'.read':'$k == `x`'}}", "{'$k':{'.read':'$k == `x`'},'y':{'.read':'true'}}")
    #expect(opened.contains("opened read /y nobody open"))
    #expect(!opened.contains { $0.contains("/$k") })
  }

  @Test func `a difference can need two claims at once`() throws {
    let opened = try changes(
      "{'a':{'.read':'false'}}", "{'a':{'.read':'auth.token.admin == true && auth.token.staff == true'}}")
    #expect(opened == ["opened read /a any-claims open"])
  }

  @Test func `a difference can need an update of several paths`() throws {
    // A write of /a alone finds no value at /b, and must leave no value there.
    let strict = """
      {'a':{'.write':'!root.child(`b`).exists() && newData.parent().child(`b`).val() == 1 && false'},
      'b':{'.write':'auth != null'}}
      """
    let opened = try changes(strict, strict.replacing(" && false", with: ""))
    #expect(opened.contains("opened write /a anyone open"))
    #expect(!opened.contains { $0.contains("/b") || $0.contains("nobody open") })
    // A change in the rules that no update can distinguish.
    let same = "{'a':{'.write':'newData.parent().child(`b`).val() == 1 && auth != null'},'b':{'.write':'false'}}"
    #expect(try changes(same, same.replacing("val() == 1", with: "val() === 1")).isEmpty)
  }
}
