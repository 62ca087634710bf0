import NIOHTTP1

/// The headers for requests of pages of other origins (CORS).
///
/// The origin is repeated and credentials are never allowed: all credentials travel in the request itself, none in a
/// cookie.
package enum CrossOrigin {
  static let maxAgeSeconds = 3_600

  /// Returns the headers for every response.
  package static func headers(for request: HTTPHeaders) -> [(name: String, value: String)] {
    [
      (name: "Access-Control-Allow-Origin", value: origin(request)), (name: "Vary", value: "Origin"),
      (name: "Access-Control-Expose-Headers", value: "Retry-After, X-Request-Id"),
    ]
  }

  /// Returns the response to a preflight request, which needs no credential.
  package static func preflight(_ request: HTTPHeaders) -> HTTPResponse {
    var headers = headers(for: request)
    headers.append((name: "Access-Control-Allow-Methods", value: "GET, POST, PUT, PATCH, DELETE, OPTIONS"))
    headers.append((name: "Access-Control-Max-Age", value: String(maxAgeSeconds)))
    if let asked = request.requestedNames { headers.append((name: "Access-Control-Allow-Headers", value: asked)) }
    if request.first(name: "Access-Control-Request-Private-Network")?.lowercased() == "true" {
      headers.append((name: "Access-Control-Allow-Private-Network", value: "true"))
    }
    return HTTPResponse(.noContent, headers: headers)
  }

  /// Returns the request's origin if it is well formed; otherwise the wildcard.
  private static func origin(_ request: HTTPHeaders) -> String {
    let origins = request["Origin"]
    guard origins.count == 1, let origin = origins.first, (1...256).contains(origin.utf8.count),
      origin.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") })
    else { return "*" }
    return origin
  }
}

extension HTTPHeaders {
  /// The header names that a page wants to send, for repetition in the response; nil when there are none, or when the
  /// value cannot be a list of names.
  package var requestedNames: String? {
    let asked = self["Access-Control-Request-Headers"].joined(separator: ", ")
    let isList = asked.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: ","), 0x20:
        true
      // The underscore of `content_type`, which some clients send.
      case UInt8(ascii: "_"): true
      default: false
      }
    }
    return asked.isEmpty || !isList ? nil : asked
  }
}
