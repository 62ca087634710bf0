import HearthTree

/// What an event says of the data: `{"data":…,"delta":…}`, the value before and what changes it into the value after.
///
/// With `b` the value before and `a` the one after, delta is: `null` when `a` is nothing; `a` when `b` is nothing or
/// either is no object; otherwise an object with, for each key under which they are different, `null` or the delta of
/// the two. Handlers make the value after of both: they merge, and null removes. Nothing is an array, and children are
/// in the order of the database.
enum EventPayload {
  /// The text; `data` and `delta` are there also when they are null.
  static func differenceText(old: Node, new: Node) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(raw: "{\"data\":")
    writer.write(old, .objects)
    writer.write(raw: ",\"delta\":")
    writeDelta(from: old, to: new, &writer)
    writer.write(raw: "}")
    return writer.bytes
  }

  /// `"before":…,"after":…` between braces: both values whole.
  static func valuesText(old: Node, new: Node) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(raw: "{\"before\":")
    writer.write(old, .objects)
    writer.write(raw: ",\"after\":")
    writer.write(new, .objects)
    writer.write(raw: "}")
    return writer.bytes
  }

  /// Recursion as deep as data is nested.
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
