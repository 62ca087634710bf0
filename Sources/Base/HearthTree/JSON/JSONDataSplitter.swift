/// Splits the JSON text of a large tree into parts that can be written one after the other: every value that is short
/// enough stays whole, longer ones are split between their children, at any depth.
///
/// The text may arrive in pieces of any size; memory use is little more than one part. The same text and `partBytesMax`
/// always give the same parts. Keys, depth and sizes are checked as for any write, and so is the position of metadata;
/// the values of `.priority`, `.value` and `.sv` are left to the reader of the parts.
///
/// Each part writes a location that no other part writes, with two exceptions: a repeated name (the later part counts,
/// as for any write) and the priority of a location that was split, which is a separate part after those of the
/// children.
public struct JSONDataSplitter: Sendable {
  /// The text to write at one location, or as its priority.
  public struct Part: Sendable, Equatable {
    /// The keys down to the parent of ``name``.
    public var parent: [String]
    /// The key, or `.priority`, as JSON text without the quotes; nil when the whole text is one part.
    public var name: [UInt8]?
    /// True for the priority of a location that was split.
    public var isPriority: Bool
    /// The value's JSON text.
    public var text: [UInt8]
  }

  /// A container that is open at the cursor.
  private struct Frame {
    var isArray: Bool
    var start: Int
    /// The end of the last complete child.
    var doneEnd: Int
    /// The name of the current child, without quotes.
    var name: (start: Int, end: Int) = (0, 0)
    /// The index of the current or next child.
    var index = 0
    var childIsMetadata = false
    var childIsPriority = false
    /// True for a leaf's metadata: such a container is one value.
    var isLeaf = false
    var hasChildren = false
    /// True inside metadata, where names are not keys.
    var isOpaque = false
    var isCut = false
    /// True when a child of the split container is a part, so that the location can have a priority.
    var hasParts = false
    var priority: [UInt8]?
  }

  private let limits: JSONLimits
  private let depth: Int
  private let partBytesMax: Int
  private var stream: JSONStream
  private var frames: [Frame] = []
  /// The number of the outer ``frames`` that are split.
  private var cutCount = 0
  /// The keys of the innermost split container.
  private var path: [String] = []
  private var ready: [Part] = []
  private var nextReady = 0

  /// Creates a splitter.
  ///
  /// - Parameters:
  /// - depth: The number of keys in the path of the location to which the text is written.
  /// - partBytesMax: The maximum size of a value that is not split.
  public init(depth: Int = 0, partBytesMax: Int = 1 << 20, limits: JSONLimits = .standard) {
    self.depth = depth
    self.partBytesMax = max(1, partBytesMax)
    self.limits = limits
    stream = JSONStream(limits: limits)
  }

  /// True when the whole text was read and all parts were returned.
  public var isAtEnd: Bool { stream.isAtEnd && nextReady == ready.count }

  /// The number of bytes read.
  public var offset: Int { stream.offset }

  /// Appends the next bytes of the text.
  public mutating func append(_ piece: some Collection<UInt8>) { stream.append(piece) }
  /// Marks the text as complete: from now on, missing bytes are an error.
  public mutating func finish() { stream.finish() }

  /// Returns the line and column of an error's offset.
  public func place(of error: JSONError) -> (line: Int, column: Int) { stream.place(of: error.offset) }

  /// Returns the next part; nil when more text is needed, and at the end.
  public mutating func next() throws(JSONError) -> Part? {
    while true {
      if nextReady < ready.count {
        nextReady += 1
        return ready[nextReady - 1]
      }
      ready.removeAll(keepingCapacity: true)
      nextReady = 0
      guard let token = try stream.next() else { return nil }
      try take(token)
      while try cut() {}
    }
  }

  private mutating func take(_ token: JSONStream.Token) throws(JSONError) {
    switch token.kind {
    case .name: try takeName(token)
    case .beginObject, .beginArray:
      try beginValue(at: token.start)
      let isOpaque = frames.last.map { $0.isOpaque || $0.childIsMetadata } ?? false
      frames.append(
        Frame(isArray: token.kind == .beginArray, start: token.start, doneEnd: token.end, isOpaque: isOpaque))
    case .endObject, .endArray:
      let frame = frames.removeLast()
      guard frame.isCut else { return completed(frame.start, token.end, isNull: false) }
      cutCount -= 1
      if let priority = frame.priority, frame.hasParts {
        ready.append(Part(parent: path, name: Array(".priority".utf8), isPriority: true, text: priority))
      }
      if !frames.isEmpty {
        path.removeLast()
        frames[frames.count - 1].hasParts = frames[frames.count - 1].hasParts || frame.hasParts
      }
      stream.discard(before: token.end)
      advance(to: token.end)
    case .string, .number, .bool, .null:
      try beginValue(at: token.start)
      guard token.size <= limits.stringSizeBytesMax else {
        throw JSONError(
          .stringTooLong, "A string has more than \(limits.stringSizeBytesMax) bytes", at: token.start)
      }
      completed(token.start, token.end, isNull: token.kind == .null)
    }
  }

  private mutating func takeName(_ token: JSONStream.Token) throws(JSONError) {
    var frame = frames[frames.count - 1]
    frame.name = (token.start + 1, token.end - 1)
    frame.childIsMetadata = false
    frame.childIsPriority = false
    if !frame.isOpaque {
      let raw = stream.text(frame.name.start, frame.name.end)
      let (isMetadata, problem) = raw.withUnsafeBytes { raw -> (Bool, PathError.Code?) in
        raw.contains(UInt8(ascii: "\\"))
          ? JSONEscapes.decoded(raw).withUnsafeBytes(keyProblem) : keyProblem(raw)
      }
      if let problem {
        throw JSONError(.invalidKey, "Invalid key (\(problem.rawValue))", at: token.start)
      }
      if isMetadata { try takeMetadata(raw, of: &frame, at: token.start) } else { frame.hasChildren = true }
      guard !(frame.isLeaf && (frame.hasChildren || frame.isCut)) else {
        throw JSONError(.invalidMetadata, "A node has both .value and children", at: token.start)
      }
    }
    frames[frames.count - 1] = frame
  }

  /// Returns whether a name is metadata and, when it is not, the reason why it is not a key.
  private func keyProblem(_ name: UnsafeRawBufferPointer) -> (isMetadata: Bool, problem: PathError.Code?) {
    if name.first == UInt8(ascii: ".") { return (true, nil) }
    return (false, PathValidation.problem(inKey: name, sizeBytesMax: limits.keySizeBytesMax))
  }

  private func takeMetadata(_ raw: ArraySlice<UInt8>, of frame: inout Frame, at offset: Int) throws(JSONError) {
    frame.childIsMetadata = true
    switch raw.withUnsafeBytes({ String(decoding: JSONEscapes.decoded($0), as: UTF8.self) }) {
    case ".priority": frame.childIsPriority = true
    case ".value", ".sv": frame.isLeaf = true
    default: throw JSONError(.invalidMetadata, "Unknown name with a leading dot", at: offset)
    }
  }

  /// Checks the depth of a value that begins.
  private func beginValue(at offset: Int) throws(JSONError) {
    guard let frame = frames.last, !frame.isOpaque, !frame.childIsMetadata else { return }
    guard depth + frames.count <= limits.depthMax else {
      throw JSONError(.tooDeep, "More than \(limits.depthMax) keys from the root to a leaf", at: offset)
    }
  }

  /// Records that a value ended, and adds it to its container.
  private mutating func completed(_ start: Int, _ end: Int, isNull: Bool) {
    guard let frame = frames.last else {
      ready.append(Part(parent: [], name: nil, isPriority: false, text: Array(stream.text(start, end))))
      return stream.discard(before: end)
    }
    if frame.isCut {
      let name = frame.isArray ? [] : Array(stream.text(frame.name.start, frame.name.end))
      add(frame, name: name, text: start..<end, isNull: isNull)
      stream.discard(before: end)
    }
    advance(to: end)
  }

  private mutating func advance(to end: Int) {
    guard let last = frames.indices.last else { return }
    frames[last].doneEnd = end
    frames[last].index += 1
  }

  /// Adds a part for a child of the innermost split container.
  private mutating func add(_ frame: Frame, name: [UInt8], text: Range<Int>, isNull: Bool) {
    if frame.childIsPriority {
      frames[cutCount - 1].priority = isNull ? nil : Array(stream.text(text.lowerBound, text.upperBound))
    } else if !isNull {
      let name = frame.isArray ? Array(String(frame.index).utf8) : name
      frames[cutCount - 1].hasParts = true
      ready.append(
        Part(
          parent: path, name: name, isPriority: false, text: Array(stream.text(text.lowerBound, text.upperBound))))
    }
  }

  // MARK: Splitting

  /// Splits the outermost container that is not split yet when it is too long; false when there is none.
  private mutating func cut() throws(JSONError) -> Bool {
    guard cutCount < frames.count, stream.offset - frames[cutCount].start > partBytesMax else { return false }
    let frame = frames[cutCount]
    guard frame.isArray || frame.hasChildren, !frame.isOpaque else {
      // A leaf's text is bounded by that of its strings; anything longer can only be repeated metadata.
      guard (stream.offset - frame.start) / 16 <= limits.stringSizeBytesMax else {
        throw JSONError(.tooMany, "A leaf has too much metadata", at: frame.start)
      }
      return false
    }
    if cutCount > 0 { path.append(key(of: frames[cutCount - 1])) }
    frames[cutCount].isCut = true
    cutCount += 1
    try addChildren(of: frame)
    stream.discard(before: frame.doneEnd)
    return true
  }

  /// The key of the current child.
  private func key(of frame: Frame) -> String {
    if frame.isArray { return String(frame.index) }
    return stream.text(frame.name.start, frame.name.end).withUnsafeBytes {
      String(decoding: JSONEscapes.decoded($0), as: UTF8.self)
    }
  }

  /// Reads the children that were complete before their container was split once more.
  private mutating func addChildren(of frame: Frame) throws(JSONError) {
    let text = Array(stream.text(frame.start, frame.doneEnd))
    var spans: [(name: JSONSpan?, text: Range<Int>)] = []
    let failure = text.withUnsafeBytes { bytes -> JSONError? in
      var reader = JSONReader(bytes, limits: limits)
      do throws(JSONError) {
        if frame.isArray { try reader.beginArray() } else { try reader.beginObject() }
        while reader.offset < bytes.count {
          let name = frame.isArray ? nil : try reader.nextName()
          if frame.isArray { _ = try reader.nextElement() }
          _ = try reader.kind()
          let start = reader.offset
          try reader.skipValue()
          spans.append((name, start..<reader.offset))
        }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    for (index, span) in spans.enumerated() {
      var child = frame
      child.index = index
      let name = span.name.map { Array(text[$0.start..<$0.end]) } ?? []
      child.childIsPriority = span.name.map { self.isPriority(text[$0.start..<$0.end]) } ?? false
      let isNull = text[span.text.lowerBound] == UInt8(ascii: "n")
      add(
        child, name: name, text: frame.start + span.text.lowerBound..<frame.start + span.text.upperBound,
        isNull: isNull)
    }
  }

  private func isPriority(_ raw: ArraySlice<UInt8>) -> Bool {
    raw.withUnsafeBytes { JSONEscapes.decoded($0).elementsEqual(".priority".utf8) }
  }
}
