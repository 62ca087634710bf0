import HearthTree

/// A scan of a log's records for one location, which skips changes elsewhere without decoding them.
package struct RecordScan: Sendable {
  /// The location.
  package let path: Path
  private let keys: [[UInt8]]

  /// Creates a scan for a location; at the root it decodes all changes.
  package init(of path: Path = .root) {
    self.path = path
    keys = path.keys.map { Array($0.text.utf8) }
  }

  /// Decodes the records of one batch's payload, in order.
  ///
  /// - Parameter body: Called with each record, including those that do not affect the location. Changes of other
  ///   locations are left out, and so are those of sessions unless the location is the root.
  /// - Throws: ``RecordError`` with the byte at which decoding stopped; any error of `body`.
  package func forEach(in payload: [UInt8], _ body: (CommitRecord) throws -> Void) throws {
    var offset = 0
    try payload.withUnsafeBytes { bytes in
      while offset < bytes.count {
        let record: CommitRecord
        let end: Int
        do {
          (record, end) = try read(bytes, from: offset)
        } catch {
          throw RecordError(error, byteOffset: offset)
        }
        try body(record)
        offset = end
      }
    }
  }

  /// Returns the time of one record of a payload without decoding anything else.
  ///
  /// - Parameter index: The index of the record, from 0.
  /// - Returns: The time. For a record without a time, this is the time of the nearest record before it in the payload.
  ///   nil when there is none, or when the payload has fewer records.
  /// - Throws: ``RecordError``.
  package static func time(ofRecord index: Int, in payload: [UInt8]) throws(RecordError) -> Int64? {
    var (offset, time): (Int, Int64?) = (0, nil)
    do {
      return try payload.withUnsafeBytes { bytes in
        for number in 0...max(0, index) where offset < bytes.count {
          let frame = try CommitRecord.Frame(of: bytes, from: offset)
          time = try frame.milliseconds() ?? time
          if number == index { return time }
          offset = frame.end
        }
        return nil
      }
    } catch {
      throw RecordError(error, byteOffset: offset)
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer, from start: Int) throws -> (CommitRecord, end: Int) {
    guard !keys.isEmpty else { return try CommitRecord.decode(bytes, from: start) }
    var frame = try CommitRecord.Frame(of: bytes, from: start)
    if frame.isClusterRecord { return (try frame.record { try read(bytes, from: $0) }, frame.end) }
    let head = try CommitRecord.Head(&frame)
    var body = frame.body
    let content: CommitRecord.Content
    switch head.kind {
    case CommitRecord.changesKind: content = .changes(try changes(&body))
    case CommitRecord.sessionsKind: content = .sessions([])
    default: content = try CommitRecord.other(head.kind, &body)
    }
    return (head.record(content), frame.end)
  }

  private func changes(_ cursor: inout ByteCursor) throws -> [(location: Location, node: Node)] {
    let count = try cursor.varint()
    var changes: [(location: Location, node: Node)] = []
    var index: UInt64 = 0
    while index < count {
      index += 1
      guard let location = try touched(&cursor, isLast: index == count) else {
        // The rest of the record is not needed.
        if index == count { break }
        try cursor.skipValue()
        continue
      }
      changes.append((location, try CommitRecord.node(&cursor)))
    }
    return changes
  }

  /// Decodes the location of a change; returns nil when it is elsewhere.
  ///
  /// - Parameter isLast: True for the last change of a record: when it is elsewhere, its value need not be skipped.
  private func touched(_ cursor: inout ByteCursor, isLast: Bool) throws -> Location? {
    let head = try cursor.byte()
    let (count, isPriority) = (Int(head & 0x7F), head & 0x80 != 0)
    var isElsewhere = isPriority && count < keys.count
    var below: [Key] = []
    for level in 0..<count {
      let key = try cursor.sized()
      if level < keys.count {
        if !isElsewhere { isElsewhere = !key.elementsEqual(keys[level]) }
      } else if !isElsewhere {
        below.append(Key(String(decoding: key, as: UTF8.self)))
      }
      if isElsewhere, isLast { return nil }
    }
    guard !isElsewhere else { return nil }
    return Location(path: Path(Array(path.keys.prefix(count)) + below), isPriority: isPriority)
  }

  /// Returns the data at the location after the changes of a record that this scan decoded.
  package func apply(_ changes: [(location: Location, node: Node)], to node: Node) -> Node {
    if path.isRoot { return CommitRecord.apply(changes, to: node) }
    return changes.reduce(node) { node, change in
      guard let below = path.relative(change.location.path) else {
        // A change above replaced the whole location.
        return change.location.path.relative(path).map { change.node[$0] } ?? node
      }
      return CommitRecord.apply(
        [(Location(path: below, isPriority: change.location.isPriority), change.node)], to: node)
    }
  }
}
