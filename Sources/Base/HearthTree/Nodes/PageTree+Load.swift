extension PageTree {
  /// Creates full pages from packed entries in key order, and the branches above them.
  static func make(
    _ bytes: UnsafeRawBufferPointer, _ starts: ArraySlice<Int>, leaves: Int, mayRefer: Bool, priority: Scalar?
  ) -> PageTree {
    var totals = PageTotals(count: starts.count, leaves: leaves)
    var objects = pages(bytes, starts, mayRefer: mayRefer, &totals)
    var height = 0
    while objects.count > 1 {
      height += 1
      objects = branches(objects, level: height)
    }
    return make(root: objects[0], height: height, totals, priority: priority)
  }

  /// Creates full pages from packed entries in key order, and adds their bytes to the totals.
  static func pages(
    _ bytes: UnsafeRawBufferPointer, _ starts: ArraySlice<Int>, mayRefer: Bool, _ totals: inout PageTotals
  ) -> [AnyObject] {
    guard let base = bytes.baseAddress else { return [] }
    func run(_ first: Int, _ last: Int) -> PackedEntries {
      let end = last + 1 < starts.endIndex ? starts[last + 1] : bytes.count
      return PackedEntries(position: base + starts[first], end: base + end)
    }
    func references(_ index: Int) -> Int {
      guard mayRefer else { return 0 }
      var count = 0
      run(index, index).forEachReference { _, _ in count += 1 }
      return count
    }
    var pages: [AnyObject] = []
    var first = starts.startIndex
    while first < starts.endIndex {
      var last = first
      var referenceCount = references(first)
      while last + 1 < starts.endIndex {
        let size = run(first, last + 1).size
        referenceCount += references(last + 1)
        guard size + Page.slotsSize(entryCount: last + 2 - first, byteCount: size) <= Page.sizeBytesMax,
          referenceCount <= Page.referenceCountMax
        else { break }
        last += 1
      }
      var writer = PageWriter(entryCount: last + 1 - first, byteCount: run(first, last).size)
      for index in first...last {
        writer.beginEntry(PackedEntry(base + starts[index]).key)
        writer.entries(run(index, index), mayRefer: mayRefer)
      }
      let page = writer.finish()
      totals.bytes += page.byteCount
      if page.hasReferences {
        page.entries(0..<page.count).forEachReference { reference, kind in
          totals.bytes &+= PackedValue.bytes(of: reference, kind: kind)
        }
      }
      pages.append(page)
      first = last + 1
    }
    return pages
  }

  private static func branches(_ children: [AnyObject], level: Int) -> [AnyObject] {
    stride(from: 0, to: children.count, by: PageBranch.childCountMax).map { first in
      let group = children[first..<min(first + PageBranch.childCountMax, children.count)]
      let parts = group.map { child in
        // The level determines the class of the children.
        let key =
          level == 1
          ? unsafeDowncast(child, to: Page.self).entry(0).key
          : unsafeDowncast(child, to: PageBranch.self).key(0)
        return PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: NodeReference(child))
      }
      let mayRefer = group.contains { PageBranch.mayRefer($0, level: level - 1) }
      return withExtendedLifetime(children) {
        parts.withUnsafeBufferPointer { PageBranch.make(level: level, mayRefer: mayRefer, $0) }
      }
    }
  }
}
