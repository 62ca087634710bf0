extension PackedValue {
  /// Calls `body` for every tree and text that this value or a value in it refers to. The recursion is bounded, because
  /// nested packed values are inside the outermost one, which has about a thousand bytes at most.
  func forEachReference(_ body: (Unmanaged<AnyObject>) -> Void) {
    if hasPriority { priority.forEachReference(body) }
    switch kind {
    case PackedKind.tree, PackedKind.text: body(reference)
    case PackedKind.interior where tag & Self.referencesFlag != 0: entries.forEachReference(body)
    default: break
    }
  }

  /// The object that a tree or text value refers to. The page that the value is in keeps it alive.
  var reference: Unmanaged<AnyObject> { payload.loadUnaligned(as: Unmanaged<AnyObject>.self) }

  /// The tree of a tree value.
  var tree: Unmanaged<PageTree> { payload.loadUnaligned(as: Unmanaged<PageTree>.self) }

  /// The text of a text value.
  var text: PageText { payload.loadUnaligned(as: Unmanaged<PageText>.self).takeUnretainedValue() }
}

extension PackedEntries {
  /// Calls `body` for every tree and text that these entries refer to.
  func forEachReference(_ body: (Unmanaged<AnyObject>) -> Void) {
    for entry in self { entry.value.forEachReference(body) }
  }
}
