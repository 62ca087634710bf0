import HearthCrypto

/// What a browser keeps while somebody is on a provider's page. Each visit has a cookie of its own, so that two at once do
/// not meet.
struct VisitCookie: Sendable, Equatable {
  let name: String
  private let isSecure: Bool

  /// - Parameters:
  ///   - state: of the visit.
  ///   - isSecure: over https. The name then keeps cookies out that others set, in clear or from a neighbouring name.
  init(state: String, isSecure: Bool) {
    self.isSecure = isSecure
    name = (isSecure ? "__Host-" : "") + "hearth-visit-" + Digest(sha256: state.utf8).hex.prefix(16)
  }

  /// The header that has the browser keep a text until it comes back. `Lax`: the way back begins at the provider's site.
  func kept(_ text: String, seconds: Int64) -> (name: String, value: String) {
    ("Set-Cookie", "\(name)=\(text); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")")
  }

  /// The header that has the browser forget it.
  var forgotten: (name: String, value: String) { kept("", seconds: 0) }

  /// Its text in the value of `Cookie`; nil when it is not there, or there twice.
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
