import HearthRules

@testable import HearthExposure

/// A rules file on which an engine with one wrong rule of inference gives a wrong answer, or none, and what is true of it.
struct Trap {
  var rules: String
  var location: String
  var operation = ExposureOperation.write
  var identity = ExposureIdentity.anyone
  var isUpdate = false
  /// What is so, or "not closed" where it is open and nobody need find the request.
  var verdict: String

  static let all = [
    // A node with children equals nothing, not even itself; nor does NaN.
    Trap(rules: #"{"u":{".read":"data.val() != data.val()"}}"#, location: "/u", operation: .read, verdict: "open"),
    Trap(
      rules: #"{"u":{".read":"data.val() != data.val() && data.isString()"}}"#, location: "/u", operation: .read,
      verdict: "closed"),
    // A uid may hold slashes.
    Trap(
      rules: #"{"u":{".read":"auth.uid == 'u/v' && data.child(auth.uid).exists()"}}"#, location: "/u", operation: .read,
      verdict: "open"),
    Trap(
      rules: #"{".read":"data.hasChildren() && data.child(auth.uid).parent().isString()"}"#, location: "/",
      operation: .read, verdict: "not closed"),
    // A place above the written one changes with it.
    Trap(
      rules: #"{"u":{"v":{".write":"newData.parent().exists() && !data.parent().exists()"}}}"#, location: "/u/v",
      verdict: "open"),
    // Deleting a child is asked the rules of a parent that remains.
    Trap(
      rules:
        #"{"u":{".validate":"newData.hasChildren(['v'])","v":{".write":"!newData.exists() && newData.parent().hasChildren()"}}}"#,
      location: "/u/v", verdict: "closed"),
    Trap(
      rules: #"{"u":{".validate":"newData.hasChildren(['v'])","v":{".write":"!newData.exists() && data.exists()"}}}"#,
      location: "/u/v", verdict: "open"),
    // A condition that nobody finds a request for is not closed: the text is its own lower case, and longer than it.
    Trap(
      rules: #"{"u":{".read":"data.val().replace('a', data.child('x').val()).length == 7 && false == false"}}"#,
      location: "/u", operation: .read, verdict: "closed"),
    // Texts have an order too.
    Trap(rules: #"{"u":{".read":"data.val() < 'b'"}}"#, location: "/u", operation: .read, verdict: "open"),
    // The other place may be the written one.
    Trap(
      rules:
        #"{"u":{"$a":{"m":{".write":"newData.parent().parent().child('v/m').exists() && !root.child('u/v/m').exists()"}}}}"#,
      location: "/u/$a/m", verdict: "open"),
    // Deleting below a leaf leaves the leaf.
    Trap(
      rules: #"{"u":{"v":{".write":"!newData.exists() && newData.parent().isString()"}}}"#, location: "/u/v",
      verdict: "open"),
    // What is beside a write stays as it was, unless the same update writes it.
    Trap(
      rules:
        #"{"u":{".write":"newData.parent().child('v').exists() && !root.child('v').exists()"},"v":{".write":true}}"#,
      location: "/u", verdict: "closed"),
    Trap(
      rules:
        #"{"u":{".write":"newData.parent().child('v').exists() && !root.child('v').exists()"},"v":{".write":true}}"#,
      location: "/u", isUpdate: true, verdict: "open"),
    // Null is equal to null, also for somebody who is signed out.
    Trap(
      rules: #"{"u":{".read":"data.child('owner').val() == auth.uid"}}"#, location: "/u", operation: .read,
      identity: .nobody, verdict: "open"),
    // An error is neither true nor false, and is not rescued by what comes after it.
    Trap(
      rules: #"{"u":{".read":"data.val().length > 1 || true"}}"#, location: "/u", operation: .read, verdict: "open"),
    Trap(
      rules: #"{"u":{".read":"!(auth.token.admin.length > 1) || true"}}"#, location: "/u", operation: .read,
      verdict: "closed"),
    // A named key is no wildcard's.
    Trap(
      rules: #"{"u":{"v":{},"$a":{".read":"$a == 'v'"}}}"#, location: "/u/$a", operation: .read, verdict: "closed"),
    // What is written under a name that the rule spells out is validated by the wildcard's rule, except where a priority
    // is all that is written.
    Trap(
      rules:
        #"{"u":{".write":"newData.child('v').isString() && !data.exists()","$a":{".validate":"newData.hasChildren()"}}}"#,
      location: "/u", verdict: "closed"),
    // Where a written value may carry no valid child, one that no rule names can still be written below.
    Trap(
      rules: #"{".write":"newData.hasChildren()","u":{".validate":false},"v":{".validate":false}}"#, location: "/",
      verdict: "open"),
    // A test file's date that is over stays over.
    Trap(rules: #"{".read":"now < 10","$a":{}}"#, location: "/", operation: .read, verdict: "closed"),
    Trap(rules: #"{".read":"now <= 10","$a":{}}"#, location: "/", operation: .read, verdict: "open"),
    // In doubles adding one need not change a number.
    Trap(
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

  /// True when it is what is so.
  func accepts(_ answer: String) -> Bool { verdict == "not closed" ? answer != "closed" : answer == verdict }

  func compiled() throws -> RuleSet { try RuleSet.compile("{\"rules\":\(rules)}", keepsExpressions: true) }
}
