/// A string that is too long to be copied along with its page. The object is the stub of the text, which need not be in
/// memory.
final class PageText: ManagedBuffer<Int, UInt> {
  /// Creates a text in memory.
  static func make(_ string: String) -> PageText {
    let content = PageTextContent.make(string)
    return withExtendedLifetime(content) { make(NodeReference(content), byteCount: string.utf8.count) }
  }

  /// Creates a text. The creator keeps the content alive until then.
  static func make(_ content: NodeReference, byteCount: Int) -> PageText {
    let object = PageText.create(minimumCapacity: 1) { _ in byteCount }
    // Safe, because `create` creates an object of the class on which it is called.
    let text = unsafeDowncast(object, to: PageText.self)
    content.retain()
    text.cell.storeBytes(of: content.bits, as: UInt.self)
    return text
  }

  deinit { content.release() }

  private var cell: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  /// The number of UTF-8 bytes.
  var byteCount: Int { withUnsafeMutablePointerToHeader { $0.pointee } }

  /// The reference to the content.
  var content: NodeReference { NodeReference(in: cell) }

  /// The text, read if it is not in memory; empty when it is missing (see `NodeFault`).
  var string: String { contentObject?.string ?? "" }

  /// The content, read if it is not in memory, and put into the stub unless the thread streams; `nil` when it is missing.
  var contentObject: PageTextContent? {
    let object = NodeFault.object(cell, content) { record throws(PageError) in try record.text(byteCount: byteCount) }
    // Only contents are in these cells.
    return object.map { unsafeDowncast($0, to: PageTextContent.self) }
  }
}

/// The header of a text's content.
struct PageTextHeader: StoredHeader {
  /// The cell of `StoredObject`; accessed atomically.
  var location: UInt = 0
  /// See ``StoredHeader``.
  var evicted: UInt8 = 0

  static let evictedOffset = 8

  let string: String

  init(string: String) { self.string = string }
}

/// The string of a `PageText`.
final class PageTextContent: ManagedBuffer<PageTextHeader, UInt8> {
  static func make(_ string: String) -> PageTextContent {
    let object = PageTextContent.create(minimumCapacity: 0) { _ in PageTextHeader(string: string) }
    // Safe, because `create` creates an object of the class on which it is called.
    return unsafeDowncast(object, to: PageTextContent.self)
  }

  deinit { StoredObject.forget(info, sizeBytes: residentSize) }

  /// The header. The pointer is valid while the content is held, because the header is part of the object.
  var info: UnsafeMutablePointer<PageTextHeader> { withUnsafeMutablePointerToHeader { $0 } }
  var string: String { info.pointee.string }

  /// The memory that the text takes: its bytes, the objects, and the allocator's words.
  var residentSize: Int { string.utf8.count + 96 }

  /// The location in a store; `nil` while the text is not stored.
  var location: PageLocation? { StoredObject.location(in: info) }
}
