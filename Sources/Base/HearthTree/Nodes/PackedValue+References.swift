extension PackedValue {
  /// True when the value, its priority or a value in it may refer to a tree or text.
  var mayRefer: Bool {
    if hasPriority, priority.kind == PackedKind.text { return true }
    switch kind {
    case PackedKind.tree, PackedKind.text: return true
    case PackedKind.interior: return tag & Self.referencesFlag != 0
    default: return false
    }
  }

  /// Calls `body` for every tree and text that this value or a value in it refers to, with its kind, in the order of
  /// their positions.
  func forEachReference(_ body: (_ object: Unmanaged<AnyObject>, _ kind: UInt8) -> Void) {
    _ = scanReferences { body($0.loadUnaligned(as: Unmanaged<AnyObject>.self), $1) }
  }

  /// Calls `body` like ``forEachReference(_:)`` with the position of the address, which is not aligned. Returns the end
  /// of the value, so that entries are read once. The recursion is bounded, because nested packed values are inside the
  /// outermost one, which has about a thousand bytes at most.
  func scanReferences(_ body: (_ position: UnsafeRawPointer, _ kind: UInt8) -> Void) -> UnsafeRawPointer {
    let tag = tag
    let head = tag & Self.priorityFlag != 0 ? priority.scanReferences(body) : start + 1
    switch tag & 7 {
    case PackedKind.tree, PackedKind.text:
      body(head, tag & 7)
      return head + MemoryLayout<Unmanaged<AnyObject>>.size
    case PackedKind.interior:
      let entries = PackedEntries(position: head + 3, end: head + 3 + Self.entriesSize(head))
      if tag & Self.referencesFlag != 0 { entries.scanReferences(body) }
      return entries.end
    default: return leafEnd(head)
    }
  }

  /// The tree of a tree value.
  var tree: Unmanaged<PageTree> { payload.loadUnaligned(as: Unmanaged<PageTree>.self) }

  /// The text of a text value.
  var text: PageText { payload.loadUnaligned(as: Unmanaged<PageText>.self).takeUnretainedValue() }

  /// Returns the bytes of a tree or text to which a value refers.
  static func bytes(of reference: Unmanaged<AnyObject>, kind: UInt8) -> Int {
    if kind == PackedKind.text {
      return Unmanaged<PageText>.fromOpaque(reference.toOpaque())._withUnsafeGuaranteedRef { $0.byteCount }
    }
    return Unmanaged<PageTree>.fromOpaque(reference.toOpaque())._withUnsafeGuaranteedRef { $0.bytes }
  }
}

extension PackedEntries {
  /// Calls `body` for every tree and text that these entries refer to.
  func forEachReference(_ body: (_ object: Unmanaged<AnyObject>, _ kind: UInt8) -> Void) {
    scanReferences { body($0.loadUnaligned(as: Unmanaged<AnyObject>.self), $1) }
  }

  /// Calls `body` for the position of every address of a tree or text in these entries.
  func scanReferences(_ body: (_ position: UnsafeRawPointer, _ kind: UInt8) -> Void) {
    var position = position
    while position < end {
      let length = PackedValue.length(&position)
      position = PackedValue(position + length).scanReferences(body)
    }
  }
}
