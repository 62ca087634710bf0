import Foundation
import HearthTree

extension JSON {
  /// The value in Foundation's classes: dictionaries, arrays, texts, numbers, `NSNull`.
  package var foundationValue: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .int(let value): Int(exactly: value) ?? Double(value)
    case .double(let value): value
    case .string(let text): text
    case .array(let elements): elements.map(\.foundationValue)
    case .object: foundationDictionary
    }
  }

  /// The members by name; empty when the value is not an object.
  package var foundationDictionary: [String: Any] {
    Dictionary((members ?? []).map { ($0.name, $0.value.foundationValue) }, uniquingKeysWith: { _, last in last })
  }
}
