import HearthAccounts
import HearthTree

/// The parts of the blocking functions that a mask names, with what a body says of them.
struct BlockingFunctionParts: Sendable {
  private var places: [[String]] = []
  private let body: JSON

  /// - Parameter body: the functions as the request has them; nil when it says nothing of them.
  init(_ body: JSON?) { self.body = body ?? .object([]) }

  var isEmpty: Bool { places.isEmpty }

  /// Takes a part.
  ///
  /// - Parameter path: names with points, below the functions themselves.
  mutating func add(_ path: Substring) { places.append(path.split(separator: ".").map(String.init)) }

  /// Functions with these parts as the body has them; what the body lacks goes.
  func apply(to functions: JSON) -> JSON {
    places.reduce(functions) { Self.replace($1[...], of: $0, as: body) ?? .object([]) }
  }

  /// - Returns: nil for nothing, which an object without members is as well.
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
