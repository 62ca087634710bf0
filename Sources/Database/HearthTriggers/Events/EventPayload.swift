import HearthTree

/// The values in an event: `{"data":…,"delta":…}`, with the value before and the change that leads to the value after.
///
/// With `b` the value before and `a` the one after, delta is: `null` when `a` is null; `a` when `b` is null or either
/// is not an object; otherwise an object with, for each differing key, `null` or the delta of the two. Handlers merge
/// the two into the value after, where null removes. Arrays do not occur, and children are in the database's key order.
enum EventPayload {
  /// Returns the JSON text of an object; `data` and `delta` are present even when they are null.
  static func differenceText(old: Node, new: Node) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(raw: "{\"data\":")
    writer.write(old, .objects)
    writer.write(raw: ",\"delta\":")
    writeDelta(from: old, to: new, &writer)
    writer.write(raw: "}")
    return writer.bytes
  }

  /// Returns `{"before":…,"after":…}` with both whole values.
  static func valuesText(old: Node, new: Node) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(raw: "{\"before\":")
    writer.write(old, .objects)
    writer.write(raw: ",\"after\":")
    writer.write(new, .objects)
    writer.write(raw: "}")
    return writer.bytes
  }

  /// Writes a delta, by recursion as deep as the data.
  private static func writeDelta(from old: Node, to new: Node, _ writer: inout JSONWriter) {
    guard old.isInterior, new.isInterior else { return writer.write(new, .objects) }
    writer.write(raw: "{")
    var isFirst = true
    new.forEachDifference(from: old) { key, before, after in
      guard before.differs(from: after) else { return }
      if !isFirst { writer.write(raw: ",") }
      isFirst = false
      key.withUTF8 { writer.write(utf8: $0) }
      writer.write(raw: ":")
      writeDelta(from: before, to: after, &writer)
    }
    writer.write(raw: "}")
  }
}
