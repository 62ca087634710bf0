import HearthRules
import HearthTree
import Testing

@testable import HearthExposure

/// Tests of typical rules files in which one rule is weakened, in each common way.
@Suite struct PlantedHoleTests {
  static let files = [
    "{'users':{'$uid':{'.read':'auth != null && auth.uid == $uid','.write':'auth != null && auth.uid == $uid'}}}",
    "{'rooms':{'$r':{'.read':'auth != null && root.child(`members/` + $r).child(auth.uid).exists()','m':{'$m':{'.write':'!data.exists() && newData.child(`by`).val() == auth.uid && auth != null','.validate':'newData.hasChildren([`by`, `text`]) && newData.child(`text`).val().length < 100'}}}}}",
    "{'posts':{'.read':true,'$p':{'.write':'(!data.exists() || data.child(`by`).val() == auth.uid) && auth != null','by':{'.validate':'newData.val() == auth.uid'},'$other':{'.validate':'newData.isString()'}}}}",
    "{'presence':{'$uid':{'.read':'auth != null','.write':'$uid == auth.uid && newData.val() <= now && newData.val() > now - 60000'}}}",
    "{'forms':{'$f':{'.write':'auth != null && !data.exists()','.validate':'newData.hasChildren([`mail`, `age`])','mail':{'.validate':'newData.isString() && newData.val().matches(/^[a-z]+@[a-z]+$/)'},'age':{'.validate':'newData.isNumber() && newData.val() >= 18'},'$other':{'.validate':false}}}}",
    "{'admin':{'.read':'auth.token.admin == true','.write':'auth.token.admin == true && auth.token.email_verified == true'}}",
    "{'invites':{'$code':{'.write':'data.exists() && !newData.exists() && auth != null'}},'guests':{'$uid':{'.write':'auth.uid == $uid && root.child(`invites`).child(newData.val()).exists()'}}}",
    "{'limits':{'$uid':{'.write':'auth.uid == $uid && newData.child(`at`).val() == now && (!data.exists() || data.child(`at`).val() < now - 5000)'}}}",
  ]

  @Test func `a weakened rule makes an access open, with an example request, where the original is closed`() throws {
    var (openedCount, closedCount, undecidedCount) = (0, 0, 0)
    for file in Self.files {
      let original = try ExposureFixture.compile(file)
      let sound = Prover(original, nowMilliseconds: ExposureFixture.now)
      for (rules, rule) in Mutant.all(of: original, file) {
        let prover = Prover(rules, nowMilliseconds: ExposureFixture.now)
        let operation: ExposureOperation = rule.kind == .read ? .read : .write
        for identity in [ExposureIdentity.signedOut, .signedIn, .otherUser] {
          guard let before = question(original, rule, operation, identity), case .closed? = sound.verdict(before),
            let after = question(rules, rule, operation, identity)
          else { continue }
          switch prover.verdict(after) {
          case .open(let witness, _)?:
            openedCount += 1
            #expect(witness.decision(by: rules).isAllowed)
          case .undecided?: undecidedCount += 1
          case .closed?:
            closedCount += 1
            // Checks the proof against generated requests, which cost as much as many proofs.
            if closedCount % 8 == 0 { #expect(prover.guess(after) == nil, "\(identity.name)\n\(rules.source)") }
          case nil: break
          }
        }
      }
    }
    #expect(openedCount >= 50)
    #expect(undecidedCount == 0)
  }

  /// Returns the question about the access at a rule's location.
  private func question(
    _ rules: RuleSet, _ rule: Rule, _ operation: ExposureOperation, _ identity: ExposureIdentity
  ) -> ExposureQuestion? {
    ExposureLocation.all(in: [rules]).first { $0.template == rule.pathTemplate }.map {
      ExposureQuestion(location: $0, operation: operation, identity: identity)
    }
  }
}

/// Variants of a rules file, each with one rule changed.
private enum Mutant {
  static func all(of rules: RuleSet, _ file: String) -> [(rules: RuleSet, rule: Rule)] {
    var result: [(rules: RuleSet, rule: Rule)] = []
    visit(rules.root) { rule in
      for text in variants(rule) {
        let (old, new) = (written(rule.text), written(text))
        guard file.contains("'\(old)'"),
          let mutant = try? ExposureFixture.compile(file.replacing("'\(old)'", with: "'\(new)'", maxReplacements: 1))
        else { continue }
        result.append((mutant, rule))
      }
    }
    return result
  }

  private static func written(_ text: String) -> String { text.replacing("'", with: "`") }

  private static func visit(_ node: RuleNode, _ body: (Rule) -> Void) {
    for case let rule? in [node.read, node.write, node.validate] { body(rule) }
    for (_, child) in node.children.list { visit(child, body) }
    if let wildcard = node.wildcard { visit(wildcard, body) }
  }

  /// Returns variants of a rule: true, each conjunct removed, `&&` replaced by `||`, inverted comparisons, and `data`
  /// exchanged with `newData`.
  private static func variants(_ rule: Rule) -> [String] {
    var result = ["true"]
    let utf8 = Array(rule.text.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: utf8[range], as: UTF8.self) }
    func replace(_ range: Range<Int>, _ new: String) {
      result.append(text(0..<range.lowerBound) + new + text(range.upperBound..<utf8.count))
    }
    rule.expression?.visit { expression in
      guard case .all(let operands) = expression.form else { return }
      for index in operands.indices {
        let left = operands.indices.filter { $0 != index }.map { text(operands[$0].range) }
        replace(expression.range, "(" + left.joined(separator: " && ") + ")")
      }
      replace(expression.range, "(" + operands.map { text($0.range) }.joined(separator: " || ") + ")")
    }
    for (old, new) in [
      ("==", "!="), ("!=", "=="), ("newData", "data"), ("data", "newData"), ("<=", ">"), ("!data", "data"),
    ]
    where rule.kind != .read || new != "newData" {
      if rule.text.contains(old) { result.append(rule.text.replacing(old, with: new, maxReplacements: 1)) }
    }
    return result
  }
}
