import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

@Suite struct AssertionTests {
  @Test(
    "an invalid assertion is reported with its place and reason",
    arguments: [
      ("", 1, "expected a subject"), ("nobody", 7, "expected 'can' or 'cannot'"),
      ("everybody can read /", 1, "'everybody'"),
      ("nobody may read /", 8, "'may'"), ("nobody can red /x", 12, "'red'"),
      ("nobody can read x", 17, "must begin with /"),
      ("nobody can read /a//b", 20, "missing"), ("nobody can read /a/b*", 20, "alone for one key"),
      ("nobody can read /a.b", 18, "not a valid key"), ("nobody can read /a /b", 20, "unexpected"),
      ("claim: can read /a", 1, "is not a claim"), ("no user can read /a", 4, "'user'"),
      ("nobody cannot read /a", 8, "two negatives"), ("no one can't read /a", 8, "two negatives"),
      ("nobody can not read /a", 8, "two negatives"), ("signed-out dogs can read /a", 12, "'dogs'"),
      ("unauthenticated", 16, "expected 'can'"),
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
    "assertions have the expected results",
    arguments: [
      ("nobody can write /**", "refuted"), ("nobody can read /**", "refuted"), ("nobody can read /users", "proved"),
      ("nobody can read /users/**", "refuted"), ("nobody can write /public/**", "proved"),
      ("signed-out people cannot write /**", "proved"), ("unauthenticated users can't read /**", "refuted"),
      ("signed-out can not read /users/**", "proved"), ("signed-out people can read /public", "proved"),
      ("signed-in people can read /users/$any", "proved"), ("authenticated clients cannot write /config", "proved"),
      ("nobody can write /config", "refuted"), ("no one can write /users/*", "refuted"),
      ("other cannot read /users/*", "proved"),
      ("other can read /users/*", "refuted"),
      ("anyone can read /users/$any", "proved"), ("anyone cannot read /users", "proved"),
      ("signed-out people cannot read /public/deep/below", "refuted"), ("claim:admin can write /users/bob", "proved"),
      ("claim:admin=false can write /config", "refuted"), ("claim:admin can write /config", "proved"),
      ("no one can write /public/**", "proved"), ("other can read /public", "proved"),
    ])
  func results(sentence: String, result: String) throws {
    let fixture = try ExposureFixture(
      "{'users':{'$u':{'.read':'auth.uid == $u','.write':'auth.uid == $u'}},'public':{'.read':true},'config':{'.write':'auth.token.admin == true'}}"
    )
    let name =
      switch try ExposureAssertion(sentence).check(fixture.exposure) {
      case .proved: "proved"
      case .refuted: "refuted"
      case .undecided: "undecided"
      }
    #expect(name == result)
  }

  @Test(
    "an assertion that no client can do something is refuted when one client can",
    arguments: [
      ("auth == null", "nobody"), ("auth != null", "anyone"), ("auth.token.admin == true", "claim:admin"),
      ("auth.token.admin == true && auth.token.role == `editor`", "any-claims"),
      ("auth.token.level > 3 && auth.token.team.name == `red`", "any-claims"), ("auth.level > 5", "any-auth"),
      ("auth.token.sub != auth.uid", "any-auth"), ("auth != null && auth.uid == null", "any-auth"),
      ("auth.token[$k] == true && auth.token[`x` + $k] == 1", "any-claims"),
    ])
  func everyClient(rule: String, who: String) throws {
    let fixture = try ExposureFixture("{'a':{'$k':{'.read':'\(rule)','.write':'\(rule)'}}}")
    for sentence in ["nobody can read /a/*", "no one can write /**"] {
      let result = try ExposureAssertion(sentence).check(fixture.exposure)
      guard case .refuted(let question, .open(let witness, _)) = result else {
        Issue.record("\(sentence) of \(rule): \(result)")
        continue
      }
      #expect(question.identity.name == who)
      #expect(witness.decision(by: fixture.rules).isAllowed)
      #expect(WitnessCheck.problem(witness.auth, question.identity, at: witness.path, []) == nil)
    }
  }

  @Test(
    "an assertion about operations that are denied to every client is proved",
    arguments: ["false", "now < 5", "auth == null && auth != null", "auth.uid == 5"])
  func noClient(rule: String) throws {
    let fixture = try ExposureFixture("{'a':{'.read':'\(rule)','.write':'\(rule)'},'b':{'.validate':true}}")
    for sentence in ["nobody can read /**", "no one can write /**"] {
      guard case .proved = try ExposureAssertion(sentence).check(fixture.exposure) else {
        Issue.record("\(sentence) of \(rule)")
        continue
      }
    }
  }

  @Test func `an operation denied to every signed-in user is denied to signed-out clients`() throws {
    let fixture = try ExposureFixture("{'a':{'$u':{'.read':'auth == null || auth.uid == $u'}}}")
    for (sentence, isProved) in [
      ("other cannot read /a/*", false), ("anyone cannot read /a/*", false), ("anyone cannot read /a", true),
      ("other can read /a/*", false), ("anyone can read /a/*", true), ("signed-out people can read /a/*", true),
    ] {
      let result = try ExposureAssertion(sentence).check(fixture.exposure)
      if case .proved = result { #expect(isProved, "\(sentence)") } else { #expect(!isProved, "\(sentence)") }
    }
  }
}
