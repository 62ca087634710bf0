import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

@Suite struct AssertionTests {
  @Test(
    "a sentence that cannot be read is told where and what",
    arguments: [
      ("", 1, "here belongs who"), ("nobody", 7, "here belongs 'can' or 'cannot'"),
      ("everybody can read /", 1, "'everybody'"),
      ("nobody may read /", 8, "'may'"), ("nobody can red /x", 12, "'red'"), ("nobody can read x", 17, "begins with /"),
      ("nobody can read /a//b", 20, "missing"), ("nobody can read /a/b*", 20, "stands alone"),
      ("nobody can read /a.b", 18, "cannot be a key"), ("nobody can read /a /b", 20, "too much"),
      ("claim: can read /a", 1, "names no claim"), ("no user can read /a", 4, "'user'"),
      ("nobody can read", 16, "a path"),
    ])
  func problems(sentence: String, column: Int, part: String) throws {
    do throws(ExposureAssertion.Problem) {
      _ = try ExposureAssertion(sentence)
      Issue.record("taken: \(sentence)")
    } catch {
      #expect(error.message.contains(part), "\(error.message)")
      #expect(error.column == column)
    }
  }

  @Test(
    "what a sentence comes to",
    arguments: [
      ("nobody can write /**", "proved"), ("nobody can read /**", "refuted"), ("nobody can read /users/**", "proved"),
      ("no one can write /users/*", "refuted"), ("other cannot read /users/*", "proved"),
      ("other can read /users/*", "refuted"),
      ("anyone can read /users/$any", "proved"), ("anyone cannot read /users", "proved"),
      ("nobody cannot read /public/deep/below", "refuted"), ("claim:admin can write /users/bob", "proved"),
      ("claim:admin=false can write /config", "refuted"), ("claim:admin can write /config", "proved"),
      ("no one can write /public/**", "proved"), ("other can read /public", "proved"),
    ])
  func results(sentence: String, result: String) throws {
    let asked = try Asked(
      "{'users':{'$u':{'.read':'auth.uid == $u','.write':'auth.uid == $u'}},'public':{'.read':true},'config':{'.write':'auth.token.admin == true'}}"
    )
    let name =
      switch try ExposureAssertion(sentence).check(asked.exposure) {
      case .proved: "proved"
      case .refuted: "refuted"
      case .undecided: "undecided"
      }
    #expect(name == result)
  }
}
