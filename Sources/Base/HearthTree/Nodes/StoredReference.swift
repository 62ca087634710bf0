import HearthBytes

/// A reference of a stored page to a tree or a text, in the layout that `PageRecord` describes.
struct StoredReference {
  /// `PackedKind.tree` or `PackedKind.text`.
  var kind: UInt8
  var root: PageLocation
  var height = 0
  var totals = PageTotals()
  var priority: Scalar?

  /// The maximum of each of a tree's totals.
  static let totalMax = 1 << 48

  /// Creates the reference to a stored tree.
  init(_ tree: PageTree, root: PageLocation) {
    (kind, self.root, height, totals, priority) = (PackedKind.tree, root, tree.height, tree.totals, tree.priority)
  }

  /// Creates the reference to a stored text.
  init(_ text: PageText, content: PageLocation) {
    (kind, root, totals.bytes) = (PackedKind.text, content, text.byteCount)
  }

  /// Reads a reference of a record.
  init(_ reader: inout ByteReader, in record: PageRecord) throws(PageError) {
    try self.init(&reader, store: record.location.store, below: record.location)
  }

  /// Reads a reference, which must be to a lower address than that of `parent`.
  init(_ reader: inout ByteReader, store: UInt16, below parent: PageLocation?) throws(PageError) {
    func failure(_ finding: String) -> PageError { PageError(finding, at: parent) }
    do {
      kind = try reader.number()
      height = Int(try reader.number(UInt8.self))
      let bits = try reader.number(UInt64.self)
      guard let location = PageLocation(fileBits: bits, store: store),
        parent.map({ location.address < $0.address }) ?? true
      else { throw failure("a reference is wrong") }
      root = location
      var numbers: [Int] = []
      for _ in 0..<3 {
        let number = try reader.number(UInt64.self)
        guard number <= UInt64(Self.totalMax) else { throw failure("a number of a reference is wrong") }
        numbers.append(Int(number))
      }
      totals = PageTotals(count: numbers[0], bytes: numbers[1], leaves: numbers[2])
      priority = try Self.priority(&reader)
    } catch let error as PageError {
      throw error
    } catch {
      throw failure("a reference is incomplete")
    }
    switch kind {
    case PackedKind.tree where height <= PageBranch.levelMax && totals.count > 0 && totals.leaves > 0: break
    case PackedKind.text where height == 0 && totals.count == 0 && totals.leaves == 0 && priority == nil: break
    default: throw failure("a reference is of no kind")
    }
  }

  private static func priority(_ reader: inout ByteReader) throws -> Scalar? {
    switch try reader.number(UInt8.self) {
    case 0: return nil
    case 1: return .int(try reader.number())
    case 2:
      let number = Double(bitPattern: try reader.number())
      guard number.isFinite, number.bitPattern != 1 << 63 else { throw MalformedBytes("a number is wrong") }
      return .double(number)
    case 3:
      guard let text = String(validating: try reader.sized(), as: UTF8.self) else {
        throw MalformedBytes("a text is not UTF-8")
      }
      return .string(text)
    default: throw MalformedBytes("a priority is wrong")
    }
  }

  /// Appends the reference.
  func write(to writer: inout ByteWriter) {
    writer.number(kind)
    writer.number(UInt8(truncatingIfNeeded: height))
    writer.number(root.fileBits)
    for number in [totals.count, totals.bytes, totals.leaves] { writer.number(UInt64(clamping: number)) }
    switch priority {
    case .int(let number)?:
      writer.number(1 as UInt8)
      writer.number(number)
    case .double(let number)?:
      writer.number(2 as UInt8)
      writer.number(number.bitPattern)
    case .string(let text)?:
      writer.number(3 as UInt8)
      writer.sized(Array(text.utf8))
    case .bool?, nil: writer.number(0 as UInt8)
    }
  }

  /// Returns the object that pages refer to, with nothing below it in memory.
  ///
  /// - Parameter depth: The number of keys above its children.
  func stub(depth: Int) -> AnyObject {
    if kind == PackedKind.text { return PageText.make(NodeReference(root), byteCount: totals.bytes) }
    var header = totals.header(height: height, priority: priority)
    header.depth = UInt16(clamping: depth)
    return PageTree.make(root: NodeReference(root), header)
  }
}
