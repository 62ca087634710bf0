import HearthTree

/// A rule ready to run: operations in a flat list, and the tables that they point into.
///
/// An object, so that running it copies nothing: as a value it would have a dozen lists with reference counts at each
/// step down.
final class Program: @unchecked Sendable {  // because nothing is changed once it is made, the constants' bytes included
  let operations: [Operation]
  /// The offset of each operation's source, in UTF-8 bytes from the start of the rule's text.
  let offsets: [Int32]
  let constants: [Value]
  /// The same constants as operands; those that are texts refer to ``bytes``.
  let operands: [Operand]
  let names: [String]
  let lists: [Int32]
  let templates: [PathTemplate]
  let chains: [SnapshotChain]
  let regexes: [LinearRegex]
  let root: Int32
  private let bytes: UnsafeMutableRawBufferPointer

  /// Makes a finished program.
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

  /// Makes a program of the draft so far, to run one of its operations beforehand. Takes the same time for any length
  /// of the draft.
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
