import HearthBytes
import HearthTree
import RandomTestKit

/// A model of a native client in range merges: its data, the hash it sends, and how it applies the answer. It follows
/// the SDKs step by step, and not the code under test.
struct CompoundHashModel {
  var held: TreeModel

  /// Returns the leaves of a model in the clients' order; the priority of an interior node is one of them.
  static func leaves(of model: TreeModel, at path: [Key] = []) -> [[Key]] {
    var result: [[Key]] = []
    if model.scalar != nil { return [path] }
    var keys = model.children.keys.map { $0 }
    if model.priority != nil { keys.append(".priority") }
    for key in keys {
      if let child = model.children[key] {
        result += leaves(of: child, at: path + [key])
      } else {
        result.append(path + [key])
      }
    }
    return result.sorted(by: isBefore)
  }

  static func isBefore(_ a: [Key], _ b: [Key]) -> Bool {
    for (x, y) in zip(a, b) where x != y { return TreeModel.isBefore(x.text, y.text) }
    return a.count < b.count
  }

  /// Returns the text whose SHA-1 is the hash of the leaves after `start` through `end`, or nil when there are none.
  static func text(of model: TreeModel, after start: [Key]?, through end: [Key]?, at path: [Key] = []) -> String? {
    func isInside(_ path: [Key]) -> Bool {
      (start.map { isBefore($0, path) } ?? true) && (end.map { !isBefore($0, path) } ?? true)
    }
    if let scalar = model.scalar {
      guard isInside(path) else { return nil }
      return (model.priority.map { "priority:" + text(of: $0) + ":" } ?? "") + text(of: scalar)
    }
    var keys = model.children.keys.map { $0 }
    if model.priority != nil { keys.append(".priority") }
    keys.sort { TreeModel.isBefore($0.text, $1.text) }
    let parts = keys.compactMap { key -> String? in
      let below = path + [key]
      let inner: String?
      if let child = model.children[key] {
        inner = text(of: child, after: start, through: end, at: below)
      } else {
        inner = isInside(below) ? model.priority.map { text(of: $0) } : nil
      }
      return inner.map { quoted(key.text) + ":(" + $0 + ")" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }

  private static func text(of scalar: Scalar) -> String {
    switch scalar {
    case .bool(let value): return "boolean:\(value)"
    case .string(let value): return "string:" + quoted(value)
    case .int, .double:
      let digits = String((scalar.number ?? 0).bitPattern, radix: 16)
      return "number:" + String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result.append("\\") }
      result.append(scalar)
    }
    return "\"" + String(result) + "\""
  }

  /// Returns the hash that the client sends when it ends ranges after the given leaves. It always ends one after its
  /// last leaf, and omits a priority without a later child.
  func hash(cutting isCut: ([Key]) -> Bool) -> CompoundHash {
    let told = Self.withoutTrailingPriorities(held)
    let leaves = Self.leaves(of: told)
    let posts = leaves.filter { $0 == leaves.last || $0.last != ".priority" && isCut($0) }
    return Self.hash(of: told, posts: posts)
  }

  static func hash(of model: TreeModel, posts: [[Key]]) -> CompoundHash {
    let starts: [[Key]?] = [nil] + posts.map { $0 }
    let ends: [[Key]?] = posts.map { $0 } + [nil]
    let hashes = zip(starts, ends).map { start, end in
      text(of: model, after: start, through: end).map { SHA1.base64Digest(of: "(" + $0 + ")") } ?? ""
    }
    return CompoundHash(hashes: hashes, posts: posts.map { Path($0) })
  }

  static func withoutTrailingPriorities(_ model: TreeModel) -> TreeModel {
    var model = model
    guard model.scalar == nil else { return model }
    if !model.children.keys.contains(where: { TreeModel.isBefore(".priority", $0.text) }) { model.priority = nil }
    model.children = model.children.mapValues { withoutTrailingPriorities($0) }
    return model
  }
}

// MARK: - Applying

extension CompoundHashModel {
  mutating func apply(_ merge: RangeMerge) {
    let node = TreeModel(merge.node)
    held = Self.update(held, with: node, at: [], after: merge.start?.keys, through: merge.end?.keys)
  }

  private static func update(
    _ node: TreeModel, with update: TreeModel, at path: [Key], after start: [Key]?, through end: [Key]?
  ) -> TreeModel {
    let isAfterStart = start.map { isBefore($0, path) } ?? true
    let isBeforeEnd = end.map { isBefore(path, $0) } ?? true
    let hasStart = start?.starts(with: path) ?? false
    let hasEnd = end?.starts(with: path) ?? false
    if isAfterStart && isBeforeEnd && !hasEnd { return update }
    if isAfterStart && hasEnd && update.scalar != nil { return update }
    if isAfterStart && path == end { return node.scalar != nil ? TreeModel() : node }
    guard hasStart || hasEnd else { return node }
    var result = node
    for key in Set(node.children.keys).union(update.children.keys) {
      let child = self.update(
        node.children[key] ?? TreeModel(), with: update.children[key] ?? TreeModel(), at: path + [key], after: start,
        through: end)
      result.replace([key], with: child)
    }
    if update.priority != nil || node.priority != nil {
      let priority = self.update(
        TreeModel(scalar: node.priority), with: TreeModel(scalar: update.priority), at: path + [".priority"],
        after: start, through: end)
      if !result.isEmpty { result.priority = priority.scalar }
    }
    return result
  }
}

extension TreeModel {
  init(_ node: Node) {
    self.init(scalar: node.scalar, priority: node.priority)
    for (key, child) in node.children { children[key] = TreeModel(child) }
  }

  /// Returns this model with a priority at many of its interior nodes.
  func withPriorities(_ random: inout SeededRandom) -> TreeModel {
    guard scalar == nil, !isEmpty else { return self }
    var result = self
    if random.chance(50) { result.priority = random.chance(30) ? nil : .int(Int64(random.below(3))) }
    for key in sortedKeys { result.children[key] = children[key]?.withPriorities(&random) }
    return result
  }

  /// The paths of all nodes, including the root.
  var paths: [[Key]] { [[]] + sortedKeys.flatMap { key in (children[key]?.paths ?? []).map { [key] + $0 } } }
}
