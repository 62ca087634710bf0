import HearthTransport

/// A rules deployment by tools that know the server by a URL with a query.
///
/// They append the path of the rules to the whole URL, behind its query: `PUT
/// /?ns=chat/.settings/rules.json?dryRun=true` arrives where `PUT /.settings/rules.json?ns=chat&dryRun=true` was meant.
struct MisplacedRules {
  let namespace: String
  let isDryRun: Bool

  /// Parses a request; nil when it has a path of its own, or no such path behind its `ns`.
  ///
  /// - Throws: 400 when `ns` occurs twice.
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
  /// True when the path is `/`; repeated slashes are accepted.
  var hasRootPath: Bool {
    target.utf8.first == UInt8(ascii: "/")
      && target.utf8.prefix { $0 != UInt8(ascii: "?") }.allSatisfy { $0 == UInt8(ascii: "/") }
  }
}
