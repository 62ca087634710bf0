import HearthTree
import HearthWire

/// What a request's path addresses.
enum RESTTarget: Sendable, Equatable {
  case data(Location)
  /// `/.settings/rules.json`
  case rules
  /// `/.inspect/databases.json`
  case databases
  /// `/`, for people and load balancers.
  case health

  /// - Parameter path: the raw path, still percent-encoded, without the query string.
  init(path: some Collection<UInt8>) throws(RESTFailure) {
    // A whole URL, as proxies are sent: its scheme and host are no keys.
    guard path.first == UInt8(ascii: "/") else { throw .invalidPath }
    let suffix = Array(".json".utf8)
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard let last = parts.last else {
      self = .health
      return
    }
    guard last.suffix(suffix.count).elementsEqual(suffix) else {
      throw parts[0].first == UInt8(ascii: ".") ? .notFound : .missingSuffix
    }
    var segments: [String] = []
    for (i, part) in parts.enumerated() {
      let part = i == parts.count - 1 ? part.dropLast(suffix.count) : part
      guard let segment = PercentEncoding.decode(part, plusIsSpace: false) else { throw .invalidPath }
      if !segment.isEmpty { segments.append(segment) }
    }
    switch segments.first {
    case ".settings":
      guard segments == [".settings", "rules"] else { throw .notFound }
      self = .rules
    case ".inspect":
      guard segments == [".inspect", "databases"] else { throw .notFound }
      self = .databases
    default:
      self = .data(try Self.location(segments))
    }
  }

  /// A slash that was percent-encoded is a forbidden character, not a separator.
  private static func location(_ segments: [String]) throws(RESTFailure) -> Location {
    do {
      return try Location(segments: segments)
    } catch {
      throw .invalidPath
    }
  }
}
