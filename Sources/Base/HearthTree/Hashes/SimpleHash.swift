import HearthBytes

/// The hash by which clients identify their data: base64 of the SHA-1 over a text of the value, with the children's
/// hashes inside it. Children come in priority order, then key order; all numbers go through double.
///
/// Some clients compute the hash wrongly for some values, so there are variants of it.
struct SimpleHash {
  /// The ways in which a client's computation deviates.
  struct Variant: OptionSet {
    let rawValue: UInt8
    /// JavaScript clients derive a double's exponent from a quotient of logarithms, see
    /// ``Swift/Double/javaScriptBits``.
    static let javaScriptNumbers = Variant(rawValue: 1)
    /// iOS clients sort by priority only when some child has none, and end the hashed text at a NUL.
    static let iOSText = Variant(rawValue: 2)
    /// Integers that a double cannot represent are hashed by their digits. Clients do not compute this variant; it is
    /// for the ETags of conditional requests, which must differ when the data differs.
    static let exactIntegers = Variant(rawValue: 4)
  }

  /// The variants that clients compute.
  static let clientVariants: [Variant] = [.javaScriptNumbers, .iOSText]

  private let variant: Variant
  /// The variants that could give the visited value another hash; filled only when `collectsDivergingVariants` is set.
  private(set) var divergingVariants: Variant = []
  private let collectsDivergingVariants: Bool

  init(_ variant: Variant = [], collectsDivergingVariants: Bool = false) {
    self.variant = variant
    self.collectsDivergingVariants = collectsDivergingVariants
  }

  /// The hash of a node; nil for an empty node, whose hash is the empty string.
  mutating func digest(of node: Node) -> SHA1.Digest? {
    UnmanagedNode.withNode(node) { $0.isEmpty ? nil : digest(of: $0) }
  }

  private mutating func digest(of node: UnmanagedNode) -> SHA1.Digest {
    var text = Text(endsAtNUL: variant.contains(.iOSText))
    if let priority = node.priority {
      text.add("priority:")
      add(priority, to: &text)
      text.add(":")
    }
    if !node.isInterior {
      add(leaf: node, to: &text)
    } else if let list = byPriority(node) {
      for child in list { child.key.withUTF8 { add($0, child.digest, to: &text) } }
    } else {
      node.forEachChild { key, child in
        add(key, digest(of: child), to: &text)
        return true
      }
    }
    if text.hasNUL { divergingVariants.insert(.iOSText) }
    return text.sha.finish()
  }

  private func add(_ key: UnsafeRawBufferPointer, _ digest: SHA1.Digest, to text: inout Text) {
    text.add(":")
    text.add(key)
    text.add(":")
    text.add(digest)
  }

  private mutating func add(leaf node: UnmanagedNode, to text: inout Text) {
    let isString = node.withPackedString {
      text.add("string:")
      text.add($0)
    }
    if !isString, let scalar = node.scalar { add(scalar, to: &text) }
  }

  private mutating func add(_ scalar: Scalar, to text: inout Text) {
    switch scalar {
    case .bool(let value): text.add(value ? "boolean:true" : "boolean:false")
    case .int(let value):
      guard Int64(exactly: Double(value)) != value else { return add(Double(value), to: &text) }
      divergingVariants.insert(.exactIntegers)
      guard variant.contains(.exactIntegers) else { return add(Double(value), to: &text) }
      text.add("integer:")
      text.add(String(value))
    case .double(let value): add(value, to: &text)
    case .string(let value):
      text.add("string:")
      text.add(value)
    }
  }

  private mutating func add(_ value: Double, to text: inout Text) {
    let isQuirky = variant.contains(.javaScriptNumbers)
    if collectsDivergingVariants, value.javaScriptBits != value.bitPattern {
      divergingVariants.insert(.javaScriptNumbers)
    }
    text.add("number:")
    text.add(hexadecimal: isQuirky ? value.javaScriptBits : value.bitPattern)
  }
}

// MARK: - Order

extension SimpleHash {
  private struct Child {
    let key: Key
    let priority: Scalar?
    let digest: SHA1.Digest
  }

  /// The children in priority order; nil when that is the order of the keys.
  private mutating func byPriority(_ node: UnmanagedNode) -> [Child]? {
    var prioritised = 0
    node.forEachChild { _, child in
      if child.hasPriority { prioritised += 1 }
      return true
    }
    guard prioritised > 0 else { return nil }
    if prioritised == node.childCount {
      divergingVariants.insert(.iOSText)
      if variant.contains(.iOSText) { return nil }
    }
    var list: [Child] = []
    list.reserveCapacity(prioritised)
    node.forEachChild { key, child in
      list.append(
        Child(
          key: Key(String(decoding: key, as: UTF8.self)), priority: child.priority, digest: digest(of: child)))
      return true
    }
    let order = list.indices.sorted { Self.precedes(list[$0].priority, list[$1].priority) ?? ($0 < $1) }
    return order.map { list[$0] }
  }

  /// Returns true when the first priority comes before the second: none, then numbers, then strings; nil when both are
  /// equal.
  private static func precedes(_ a: Scalar?, _ b: Scalar?) -> Bool? {
    if let x = a?.number, let y = b?.number { return x == y ? nil : x < y }
    if case .string(let x)? = a, case .string(let y)? = b {
      return x.utf8.elementsEqual(y.utf8) ? nil : x.utf16.lexicographicallyPrecedes(y.utf16)
    }
    let (x, y) = (rank(a), rank(b))
    return x == y ? nil : x < y
  }

  private static func rank(_ priority: Scalar?) -> Int {
    guard let priority else { return 0 }
    return priority.number != nil ? 1 : 2
  }
}

extension SimpleHash {
  /// The hashed text. Only its running SHA-1 is stored.
  struct Text {
    var sha = SHA1()
    private(set) var hasNUL = false
    private let endsAtNUL: Bool

    init(endsAtNUL: Bool) { self.endsAtNUL = endsAtNUL }

    mutating func add(_ literal: StaticString) {
      if !(hasNUL && endsAtNUL) { sha.update(literal) }
    }

    mutating func add(_ text: String) {
      var text = text
      text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      if hasNUL && endsAtNUL { return }
      var part = bytes[...]
      if let nul = bytes.firstIndex(of: 0) {
        hasNUL = true
        if endsAtNUL { part = bytes[..<nul] }
      }
      sha.update(UnsafeRawBufferPointer(rebasing: part))
    }

    /// Adds a child's hash.
    mutating func add(_ digest: SHA1.Digest) {
      if hasNUL && endsAtNUL { return }
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 28) { output in
        digest.withUnsafeBytes { Base64.encode($0, into: output) }
        sha.update(UnsafeRawBufferPointer(output))
      }
    }

    /// Adds sixteen lower-case digits.
    mutating func add(hexadecimal bits: UInt64) {
      if hasNUL && endsAtNUL { return }
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { output in
        for i in 0..<16 {
          let digit = UInt8(truncatingIfNeeded: bits >> UInt64(60 - 4 * i)) & 0xF
          output[i] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
        sha.update(UnsafeRawBufferPointer(output))
      }
    }
  }
}

extension Node {
  /// The protocol's hash of this value: 28 characters of base64, or the empty string for an empty node.
  public func simpleHash() -> String { simpleHash([]) }

  /// The hash that also distinguishes integers which round to the same double; for other values it equals
  /// ``simpleHash()``.
  public func exactHash() -> String { simpleHash(.exactIntegers) }

  /// The prefix of an ``exactHash()`` where a hash of either kind may be passed. No hash that a client computes begins
  /// with it.
  public static let exactHashMark: Character = "="

  func simpleHash(_ variant: SimpleHash.Variant) -> String {
    var hash = SimpleHash(variant)
    return hash.digest(of: self)?.base64 ?? ""
  }

  /// Returns true when a client that sent `hash` has this value, also when it computed the hash in a known wrong way:
  /// otherwise such a client could never commit a transaction on the value.
  ///
  /// A hash with the prefix ``exactHashMark`` is compared with ``exactHash()`` alone.
  public func accepts(hash: String) -> Bool {
    if isEmpty || hash.isEmpty { return isEmpty && hash.isEmpty }
    return ValueHashes(self, hash.first == Self.exactHashMark ? .exact : .every).texts.contains(hash)
  }
}
