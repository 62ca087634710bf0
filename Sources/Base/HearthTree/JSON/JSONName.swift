/// A member name as it is written in the text; valid as long as the text is.
///
/// It is compared with literals without creating a string: `switch name { case "p": … }`.
public struct JSONName {
  /// The bytes between the quotes, escapes unresolved.
  let raw: UnsafeRawBufferPointer  // because the name is read in place; the reader's caller keeps it alive
  let hasEscapes: Bool

  /// The name with its escapes resolved.
  public var text: String {
    guard hasEscapes else { return String(decoding: raw, as: UTF8.self) }
    return String(decoding: JSONEscapes.decoded(raw), as: UTF8.self)
  }

  public static func == (name: JSONName, literal: StaticString) -> Bool {
    let size = literal.utf8CodeUnitCount
    let units = UnsafeBufferPointer(start: literal.utf8Start, count: size)
    if name.hasEscapes { return JSONEscapes.decoded(name.raw).elementsEqual(units) }
    return name.raw.count == size && name.raw.elementsEqual(units)
  }

  /// Compares with a literal, for `switch`.
  public static func ~= (literal: StaticString, name: JSONName) -> Bool { name == literal }
}
