import HearthRules
import HearthTree

@testable import HearthExposure

/// One request, with the data before it.
struct Attempt {
  struct Write {
    var path: Path
    var value: Node
    var isPriority = false
  }

  var auth: JSON?
  var data: Node
  var path: Path
  /// The writes; empty for a read.
  var writes: [Write] = []
  var nowMilliseconds = RandomRuleSet.nowMilliseconds
  var query: Query?

  /// Returns the evaluator's decision.
  func isAllowed(by rules: RuleSet) -> Bool { decision(by: rules).isAllowed }

  func decision(by rules: RuleSet) -> Decision {
    guard !writes.isEmpty else {
      return rules.decideRead(
        ReadRequest(path: path, root: data, auth: auth, nowMilliseconds: nowMilliseconds, query: query))
    }
    return rules.decideWrite(
      WriteRequest(
        oldRoot: data, newRoot: after, locations: writes.map { Location(path: $0.path, isPriority: $0.isPriority) },
        auth: auth, nowMilliseconds: nowMilliseconds))
  }

  /// The data after all writes.
  var after: Node {
    var tree = data
    for write in writes {
      if write.isPriority {
        let there = tree[write.path]
        if !there.isEmpty { tree = tree.replacing(write.path, with: there.with(priority: write.value.priority)) }
      } else {
        tree = tree.replacing(write.path, with: write.value)
      }
    }
    return tree
  }
}

extension Attempt: CustomStringConvertible {
  var description: String {
    let who = auth.map { Self.text($0) } ?? "nobody"
    let what = writes.map { "\($0.path)\($0.isPriority ? "/.priority" : "") = \(Self.text($0.value))" }
    let read = query.map { "read \(path) by \($0)" } ?? "read \(path)"
    return
      "\(writes.isEmpty ? read : what.joined(separator: ", ")) as \(who) at \(nowMilliseconds) over \(Self.text(data))"
  }

  static func text(_ json: JSON) -> String {
    var writer = JSONWriter()
    writer.write(json)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  static func text(_ node: Node) -> String {
    if node.isEmpty { return "null" }
    let priority = node.priority.map { " priority \($0)" } ?? ""
    if let scalar = node.scalar { return "\(scalar)\(priority)" }
    return "{" + node.children.map { "\($0.key.text): \(text($0.node))" }.joined(separator: ", ") + "}\(priority)"
  }
}
