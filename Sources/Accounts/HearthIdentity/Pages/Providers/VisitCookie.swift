import HearthCrypto

/// The cookie of a browser during a visit to a provider's page. Each visit has one of its own, so that concurrent
/// visits do not interfere.
struct VisitCookie: Sendable, Equatable {
  let name: String
  private let isSecure: Bool

  /// - Parameters:
  ///   - state: the state of the visit.
  ///   - isSecure: true over https. The name's prefix then rejects cookies that another site set, over http or from a
  ///     sibling domain.
  init(state: String, isSecure: Bool) {
    self.isSecure = isSecure
    name = (isSecure ? "__Host-" : "") + "hearth-visit-" + Digest(sha256: state.utf8).hex.prefix(16)
  }

  /// The header that sets the cookie. `Lax`: the return begins at the provider's site.
  func setHeader(_ text: String, seconds: Int64) -> (name: String, value: String) {
    ("Set-Cookie", "\(name)=\(text); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")")
  }

  /// The header that deletes the cookie.
  var deletionHeader: (name: String, value: String) { setHeader("", seconds: 0) }

  /// The cookie's text in the value of `Cookie`; nil when it is absent or comes twice.
  func text(in header: String?) -> String? {
    guard let header, header.utf8.count <= 65_536 else { return nil }
    var found: String?
    for piece in header.utf8.split(separator: UInt8(ascii: ";")) {
      let pair = piece.drop { $0 == UInt8(ascii: " ") }
      guard pair.starts(with: name.utf8), pair.dropFirst(name.utf8.count).first == UInt8(ascii: "=") else { continue }
      guard found == nil else { return nil }
      found = String(Substring(pair.dropFirst(name.utf8.count + 1)))
    }
    return found.flatMap { $0.isEmpty ? nil : $0 }
  }
}
