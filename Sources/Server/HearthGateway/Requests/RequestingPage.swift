import HearthBytes
import HearthTransport

/// The origin of the web page that makes a browser send a request, as far as the request shows it.
///
/// Pages of any site may send requests to this machine, and run the responses as scripts. They must not get the access
/// that a developer's machine grants to its own programs. Browsers tell them apart by headers that no page can set,
/// change or take away: `Origin`, `Sec-Fetch-Site`, `Referer` (which a page may have left out). This is the one place
/// where they are read.
///
/// | the request shows | page |
/// |---|---|
/// | an `Origin` or a `Referer` of another machine, of a file (`null`), or none that can be read | foreign |
/// | `callback=`: the response is a script for any page | foreign |
/// | `Sec-Fetch-Site` `same-site`, `cross-site` or unknown, and no origin of this machine | foreign |
/// | an origin of this machine, or `Sec-Fetch-Site: same-origin` | of this machine |
/// | a long poll, and none of the above: only browsers send these, as scripts | foreign |
/// | none of these, or `Sec-Fetch-Site: none`, which is a typed address | none |
///
/// Origins of this machine are those whose host is `localhost`, a name below it, or a loopback address, on any port and
/// of any scheme: the page of a developer's own web server. A name whose owner makes it resolve to this machine does
/// not count.
enum RequestingPage: Sendable, Equatable {
  /// A program sends the request, not a page.
  case none
  case ofThisMachine
  case foreign

  init(_ request: HTTPRequest) {
    let origins = request.headers["Origin"] + request.headers["Referer"]
    let sites = request.headers["Sec-Fetch-Site"]
    guard origins.allSatisfy(Self.isLocal(origin:)), !request.asksForCallback else {
      self = .foreign
      return
    }
    if !origins.isEmpty {
      self = .ofThisMachine
    } else if !sites.isEmpty {
      let isOwn = sites.allSatisfy { $0 == "same-origin" }
      self = isOwn ? .ofThisMachine : sites == ["none"] ? .none : .foreign
    } else {
      self = request.path == HTTPRequest.longPollPath ? .foreign : .none
    }
  }

  /// Returns true when a host's name or address is this machine's for every client here.
  static func isLocal(host: String) -> Bool {
    IPAddress.isLoopback(host: host) || host.hasSuffix(".localhost")
  }

  /// Returns true for an origin of this machine.
  ///
  /// - Parameter origin: an origin, or a URL that begins with one. Pages from files, and those in sandboxed frames,
  ///   have the origin `null`, which does not identify their author.
  private static func isLocal(origin: String) -> Bool {
    guard let scheme = origin.utf8.firstRange(of: "://".utf8) else { return false }
    let authority = origin[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return !authority.contains("@") && isLocal(host: HTTPRequest.hostName(ofAuthority: String(authority)))
  }
}

extension HTTPRequest {
  /// The path at which browsers without a socket poll.
  static let longPollPath = "/.lp"

  /// True when the query names a function to be called with the response. A query that cannot be parsed may.
  fileprivate var asksForCallback: Bool {
    guard !query.isEmpty else { return false }
    guard let query = try? URLQuery(query) else { return true }
    return query.first(of: [URLQuery.callbackParameter]) != nil
  }
}
