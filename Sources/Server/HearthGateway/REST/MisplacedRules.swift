import HearthTransport

/// A rules deployment by tools that know the server by an address of its own.
///
/// They append the path of the rules to the whole URL, behind its query: what arrives is
/// `PUT /?ns=chat/.settings/rules.json?dryRun=true` where `PUT /.settings/rules.json?ns=chat&dryRun=true` was meant.
struct MisplacedRules {
  let namespace: String
  let isDryRun: Bool

  /// nil for a request with a path of its own, or without such a one behind its `ns`.
  ///
  /// - Throws: 400 when `ns` comes twice.
  init?(_ http: HTTPRequest, _ query: URLQuery) throws(RESTFailure) {
    guard http.hasRootPath, let text = try query.single("ns") else { return nil }
    self.init(text)
  }

  /// - Parameter text: the value of `ns`; nil when no such path follows the name.
  init?(_ text: String) {
    let name = text.prefix { $0 != "/" }
    let rest = text.dropFirst(name.count)
    guard !name.isEmpty else { return nil }
    switch rest {
    case "/.settings/rules.json": isDryRun = false
    case "/.settings/rules.json?dryRun=true": isDryRun = true
    default: return nil
    }
    namespace = String(name)
  }
}

extension HTTPRequest {
  /// The path is `/`; slashes may be many.
  var hasRootPath: Bool {
    target.utf8.first == UInt8(ascii: "/")
      && target.utf8.prefix { $0 != UInt8(ascii: "?") }.allSatisfy { $0 == UInt8(ascii: "/") }
  }
}
