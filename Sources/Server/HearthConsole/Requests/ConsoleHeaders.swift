/// The headers of responses below `/.console/`.
package enum ConsoleHeaders {
  /// The content security policy: no resource of another host, no inline script, no frame around the page.
  package static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    + "trusted-types 'none'"

  /// Returns the headers of every response.
  ///
  /// - Parameter isImmutable: true when the name contains a hash of the content, so that it may be cached for ever.
  package static func all(isImmutable: Bool = false) -> [(name: String, value: String)] {
    [
      (name: "Content-Security-Policy", value: contentSecurityPolicy),
      (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer"),
      (name: "Cross-Origin-Opener-Policy", value: "same-origin"),
      (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
      (name: "Cache-Control", value: isImmutable ? "public, max-age=31536000, immutable" : "no-store"),
    ]
  }

  /// Returns the cookie's name. Its prefix makes browsers send it only over TLS; the port is in it because browsers
  /// send cookies to every port of a host, and another server on the same machine has a console too.
  ///
  /// - Parameter authority: the browser's `Host`.
  package static func cookieName(at authority: String, isEncrypted: Bool) -> String {
    let port = authority.utf8.reversed().prefix { (0x30...0x39).contains($0) }.reversed()
    let hasPort = authority.utf8.dropLast(port.count).last == UInt8(ascii: ":") && !port.isEmpty
    return (isEncrypted ? "__Secure-hearth_console" : "hearth_console")
      + (hasPort ? "_" + String(decoding: Array(port), as: UTF8.self) : "")
  }

  /// Returns the header that sets the browser's half of a session.
  ///
  /// - Parameter value: empty removes it.
  package static func setCookie(_ value: String, at authority: String, isEncrypted: Bool) -> String {
    "\(cookieName(at: authority, isEncrypted: isEncrypted))=\(value); Path=/.console/; HttpOnly; SameSite=Strict"
      + (isEncrypted ? "; Secure" : "") + (value.isEmpty ? "; Max-Age=0" : "")
  }

  /// Returns the cookie that a browser sent.
  ///
  /// - Parameter headers: all `Cookie` headers.
  /// - Returns: nil when there is none, or several: another program on this machine may have set one.
  package static func cookie(in headers: [String], at authority: String, isEncrypted: Bool) -> String? {
    let name = cookieName(at: authority, isEncrypted: isEncrypted)
    var found: [Substring] = []
    for header in headers {
      for part in header.split(separator: ";") {
        let part = part.drop { $0 == " " }
        guard part.utf8.starts(with: (name + "=").utf8) else { continue }
        found.append(part.dropFirst(name.count + 1))
      }
    }
    return found.count == 1 ? found.first.map(String.init) : nil
  }
}
