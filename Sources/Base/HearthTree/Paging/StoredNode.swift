import HearthBytes

/// The location of a stored node, for the row or file that names the root of the data.
///
///     kind      1   0 empty, 3 a packed node, 6 a tree
///     location  8   of a packed node's record
///     or a reference, as in records, for a tree
package struct StoredNode: Sendable {
  private enum Content {
    case empty
    case packed(PageLocation)
    case tree(StoredReference)
  }
  private let content: Content

  /// The location of an empty node.
  package static let empty = StoredNode(content: .empty)

  private init(content: Content) { self.content = content }

  init(packed location: PageLocation) { content = .packed(location) }

  init(_ tree: StoredReference) { content = .tree(tree) }

  /// Reads the bytes that ``bytes`` returned.
  ///
  /// - Parameter store: The store with the node's pages.
  package init(_ bytes: [UInt8], in store: PageStore) throws(PageError) {
    var reader = ByteReader(bytes[...])
    switch bytes.first {
    case 0?:
      content = .empty
      reader = ByteReader(bytes[1...])
    case PageRecord.Kind.value?:
      reader = ByteReader(bytes[1...])
      guard let bits = try? reader.number(UInt64.self),
        let location = PageLocation(fileBits: bits, store: store.number)
      else { throw PageError("the location of the root is wrong") }
      content = .packed(location)
    case PackedKind.tree?: content = .tree(try StoredReference(&reader, store: store.number, below: nil))
    default: throw PageError("the root is of no kind")
    }
    guard reader.remaining == 0 else { throw PageError("bytes are left behind the root") }
  }

  /// The location as bytes, without the store.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    switch content {
    case .empty: writer.number(0 as UInt8)
    case .packed(let location):
      writer.number(PageRecord.Kind.value)
      writer.number(location.fileBits)
    case .tree(let reference): reference.write(to: &writer)
    }
    return writer.bytes
  }

  /// Returns the node, of which nothing is read but a packed root.
  package func open() throws(PageError) -> Node {
    switch content {
    case .empty: return .empty
    case .tree(let reference): return Node(.tree(unsafeDowncast(reference.stub(depth: 0), to: PageTree.self)))
    case .packed(let location):
      return Node(.packed(try PageStore.load(location) { record throws(PageError) in try record.value() }, 0))
    }
  }
}
