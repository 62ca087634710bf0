import HearthTree

/// A compiled rule: operations in a flat list, and the tables to which they refer.
///
/// It is a reference type, so that running it copies nothing: as a value type, it would have a dozen arrays whose
/// references are counted at each level of recursion.
final class Program: @unchecked Sendable {  // a program, including ``bytes``, is never changed after its creation
  let operations: [Operation]
  /// The offset of each operation's source, in UTF-8 bytes from the start of the rule's text.
  let offsets: [Int32]
  let constants: [Value]
  /// The constants as operands; texts refer to ``bytes``.
  let operands: [Operand]
  let names: [String]
  let lists: [Int32]
  let templates: [PathTemplate]
  let chains: [SnapshotChain]
  let regexes: [LinearRegex]
  let root: Int32
  private let bytes: UnsafeMutableRawBufferPointer

  /// Creates a complete program.
  convenience init(_ draft: ProgramDraft, root: Int32) {
    let size = draft.operands.reduce(0) { $0 + ($1.byteCount ?? 0) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    var end = 0
    let operands = draft.operands.map { operand in
      guard case .string(let text) = operand else { return operand }
      let place = UnsafeMutableRawBufferPointer(rebasing: bytes[end..<end + text.utf8.count])
      place.copyBytes(from: text.utf8)
      end += place.count
      return .bytes(UnsafeRawBufferPointer(place))
    }
    self.init(draft, root: root, operands: operands, bytes: bytes)
  }

  /// Creates a program of an incomplete draft, to evaluate one of its operations at compile time. It takes constant
  /// time.
  convenience init(unfinished draft: ProgramDraft, root: Int32) {
    self.init(draft, root: root, operands: draft.operands, bytes: UnsafeMutableRawBufferPointer(start: nil, count: 0))
  }

  private init(_ draft: ProgramDraft, root: Int32, operands: [Operand], bytes: UnsafeMutableRawBufferPointer) {
    operations = draft.operations
    offsets = draft.offsets
    constants = draft.constants
    names = draft.names
    lists = draft.lists
    templates = draft.templates
    chains = draft.chains
    regexes = draft.regexes
    self.operands = operands
    self.bytes = bytes
    self.root = root
  }

  deinit { bytes.deallocate() }
}

/// A program under construction.
struct ProgramDraft {
  var operations: [Operation] = []
  var offsets: [Int32] = []
  private(set) var constants: [Value] = []
  private(set) var operands: [Operand] = []
  var names: [String] = []
  var lists: [Int32] = []
  var templates: [PathTemplate] = []
  var chains: [SnapshotChain] = []
  var regexes: [LinearRegex] = []

  /// Adds a constant; returns its index.
  mutating func add(_ constant: Value) -> Int32 {
    constants.append(constant)
    operands.append(Operand(constant))
    return Int32(constants.count - 1)
  }
}
