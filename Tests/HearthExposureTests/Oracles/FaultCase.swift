import HearthRules

@testable import HearthExposure

/// A rules file with its correct verdict, for which a prover with one wrong rule of inference has a wrong verdict or
/// none.
struct FaultCase {
  var rules: String
  var location: String
  var operation = ExposureOperation.write
  var identity = ExposureIdentity.signedIn
  var isUpdate = false
  /// The correct verdict, or "not closed" for an open question whose example request need not be found.
  var verdict: String

  static let all = [
    // A node with children equals no value, not even itself; nor does NaN.
    FaultCase(rules: #"{"u":{".read":"data.val() != data.val()"}}"#, location: "/u", operation: .read, verdict: "open"),
    FaultCase(
      rules: #"{"u":{".read":"data.val() != data.val() && data.isString()"}}"#, location: "/u", operation: .read,
      verdict: "closed"),
    // A uid may contain slashes.
    FaultCase(
      rules: #"{"u":{".read":"auth.uid == 'u/v' && data.child(auth.uid).exists()"}}"#, location: "/u", operation: .read,
      verdict: "open"),
    FaultCase(
      rules: #"{".read":"data.hasChildren() && data.child(auth.uid).parent().isString()"}"#, location: "/",
      operation: .read, verdict: "not closed"),
    // A node above the written location changes with it.
    FaultCase(
      rules: #"{"u":{"v":{".write":"newData.parent().exists() && !data.parent().exists()"}}}"#, location: "/u/v",
      verdict: "open"),
    // The deletion of a child is validated by the rules of its remaining parent.
    FaultCase(
      rules:
        #"{"u":{".validate":"newData.hasChildren(['v'])","v":{".write":"!newData.exists() && newData.parent().hasChildren()"}}}"#,
      location: "/u/v", verdict: "closed"),
    FaultCase(
      rules: #"{"u":{".validate":"newData.hasChildren(['v'])","v":{".write":"!newData.exists() && data.exists()"}}}"#,
      location: "/u/v", verdict: "open"),
    // A condition without a known request is not closed: some string equals its own lower case, and is longer than it.
    FaultCase(
      rules: #"{"u":{".read":"data.val().replace('a', data.child('x').val()).length == 7 && false == false"}}"#,
      location: "/u", operation: .read, verdict: "closed"),
    // Strings have an order as well.
    FaultCase(rules: #"{"u":{".read":"data.val() < 'b'"}}"#, location: "/u", operation: .read, verdict: "open"),
    // The other location may be the written location.
    FaultCase(
      rules:
        #"{"u":{"$a":{"m":{".write":"newData.parent().parent().child('v/m').exists() && !root.child('u/v/m').exists()"}}}}"#,
      location: "/u/$a/m", verdict: "open"),
    // A deletion of a location below a leaf does not delete the leaf.
    FaultCase(
      rules: #"{"u":{"v":{".write":"!newData.exists() && newData.parent().isString()"}}}"#, location: "/u/v",
      verdict: "open"),
    // Data beside a write stays the same, unless the same update writes it.
    FaultCase(
      rules:
        #"{"u":{".write":"newData.parent().child('v').exists() && !root.child('v').exists()"},"v":{".write":true}}"#,
      location: "/u", verdict: "closed"),
    FaultCase(
      rules:
        #"{"u":{".write":"newData.parent().child('v').exists() && !root.child('v').exists()"},"v":{".write":true}}"#,
      location: "/u", isUpdate: true, verdict: "open"),
    // Null equals null, also for a signed-out client.
    FaultCase(
      rules: #"{"u":{".read":"data.child('owner').val() == auth.uid"}}"#, location: "/u", operation: .read,
      identity: .signedOut, verdict: "open"),
    // An error is neither true nor false, and a later operand does not change that.
    FaultCase(
      rules: #"{"u":{".read":"data.val().length > 1 || true"}}"#, location: "/u", operation: .read, verdict: "open"),
    FaultCase(
      rules: #"{"u":{".read":"!(auth.token.admin.length > 1) || true"}}"#, location: "/u", operation: .read,
      verdict: "closed"),
    // A named key does not match a wildcard.
    FaultCase(
      rules: #"{"u":{"v":{},"$a":{".read":"$a == 'v'"}}}"#, location: "/u/$a", operation: .read, verdict: "closed"),
    // A written key that the rule names is validated by the wildcard's rule, except when only a priority is written.
    FaultCase(
      rules:
        #"{"u":{".write":"newData.child('v').isString() && !data.exists()","$a":{".validate":"newData.hasChildren()"}}}"#,
      location: "/u", verdict: "closed"),
    // At a location that may not have valid children, a child that no rule names may still be written.
    FaultCase(
      rules: #"{".write":"newData.hasChildren()","u":{".validate":false},"v":{".validate":false}}"#, location: "/",
      verdict: "open"),
    // A request is later than the end date of the test mode rules.
    FaultCase(rules: #"{".read":"now < 10","$a":{}}"#, location: "/", operation: .read, verdict: "closed"),
    FaultCase(rules: #"{".read":"now <= 10","$a":{}}"#, location: "/", operation: .read, verdict: "open"),
    // Adding to a double need not change it.
    FaultCase(
      rules: #"{"u":{".read":"data.isNumber() && data.val() + 1 == data.val()"}}"#, location: "/u", operation: .read,
      verdict: "not closed"),
  ]

  func answer(faults: ExposureFaults = []) throws -> String {
    let rules = try compiled()
    let prover = Prover(rules, nowMilliseconds: RandomRuleSet.nowMilliseconds, faults: faults)
    guard let location = ExposureLocation.all(in: [rules]).first(where: { $0.template == location }) else {
      return "no such location"
    }
    var question = ExposureQuestion(location: location, operation: operation, identity: identity)
    question.isUpdate = isUpdate
    return prover.verdict(question)?.name ?? "nobody"
  }

  /// Returns true when a verdict agrees with the correct one.
  func accepts(_ answer: String) -> Bool { verdict == "not closed" ? answer != "closed" : answer == verdict }

  func compiled() throws -> RuleSet { try RuleSet.compile("{\"rules\":\(rules)}", keepsExpressions: true) }
}
