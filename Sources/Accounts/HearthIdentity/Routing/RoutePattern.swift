/// The pattern of a path: `v1/projects/{project}:createSessionCookie`, `v2/{namespace}/users/{rest}`.
///
/// A name in braces matches one segment, or a part of one, that is not empty; only a project and a tenant may be, and
/// are refused as such. `{rest}`, at the end, matches one segment or more. `{namespace}` names a database for 2.x
/// clients, and matches none of the names that newer paths have there.
struct RoutePattern: Sendable, Equatable, ExpressibleByStringLiteral {
  private enum Segment: Sendable, Equatable {
    case literal(String)
    case named(String, prefix: String, suffix: String)
    case rest
  }

  let text: String
  private let segments: [Segment]

  init(stringLiteral text: String) {
    self.text = text
    segments = text.split(separator: "/").map { piece in
      guard let open = piece.firstIndex(of: "{"), let close = piece.lastIndex(of: "}") else {
        return .literal(String(piece))
      }
      let name = String(piece[piece.index(after: open)..<close])
      if name == "rest" { return .rest }
      return .named(name, prefix: String(piece[..<open]), suffix: String(piece[piece.index(after: close)...]))
    }
  }

  /// The first segment, by which rows are found; nil unless it is a literal.
  var firstLiteral: String? {
    if case .literal(let text)? = segments.first { text } else { nil }
  }

  /// Returns the values of the names in a path; nil for a path of another shape.
  ///
  /// - Parameter path: decoded segments.
  func match(_ path: ArraySlice<String>) -> [String: String]? {
    let endsOpen = segments.last == .rest
    guard endsOpen ? path.count >= segments.count : path.count == segments.count else { return nil }
    var values: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .rest: return values
      case .literal(let literal):
        guard text.utf8.elementsEqual(literal.utf8) else { return nil }
      case .named(let name, let prefix, let suffix):
        guard text.utf8.count >= prefix.utf8.count + suffix.utf8.count, text.hasPrefix(prefix), text.hasSuffix(suffix)
        else { return nil }
        let value = String(text.dropFirst(prefix.count).dropLast(suffix.count))
        if value.isEmpty, name != "project", name != "tenant" { return nil }
        if name == "namespace", !Self.isNamespace(value) { return nil }
        values[name] = value
      }
    }
    return values
  }

  private static func isNamespace(_ text: String) -> Bool {
    !text.isEmpty && !text.contains(":")
      && !["accounts", "projects", "passwordPolicy", "recaptchaConfig"].contains(text)
  }
}
