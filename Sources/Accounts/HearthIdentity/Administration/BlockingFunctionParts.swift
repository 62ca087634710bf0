import HearthAccounts
import HearthTree

/// The parts of the blocking functions that a mask names, with the body's values.
struct BlockingFunctionParts: Sendable {
  private var places: [[String]] = []
  private let body: JSON

  /// - Parameter body: the functions in the request; nil for none.
  init(_ body: JSON?) { self.body = body ?? .object([]) }

  var isEmpty: Bool { places.isEmpty }

  /// Adds a part.
  ///
  /// - Parameter path: names with points, below the functions themselves.
  mutating func add(_ path: Substring) { places.append(path.split(separator: ".").map(String.init)) }

  /// Returns the functions with these parts replaced by the body's; parts that the body lacks are removed.
  func apply(to functions: JSON) -> JSON {
    places.reduce(functions) { Self.replace($1[...], of: $0, as: body) ?? .object([]) }
  }

  /// - Returns: nil for an absent value or an object without members.
  private static func replace(_ place: ArraySlice<String>, of old: JSON?, as new: JSON?) -> JSON? {
    guard let name = place.first, old != nil || new != nil else {
      return new == .null || new == .object([]) ? nil : new
    }
    var members = (old?.members ?? []).filter { $0.name != name }
    if let part = replace(place.dropFirst(), of: old?[name], as: new?[name]) {
      members.append(JSON.Member(name, part))
    }
    return members.isEmpty ? nil : .object(members)
  }
}
