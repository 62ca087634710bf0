import CCurl

/// The scheme and host of a URL, parsed by libcurl itself: an attacker could exploit two parsers that read a URL
/// differently.
struct OutboundTarget: Equatable {
  /// The host in lower case, without the brackets of an IPv6 address.
  let host: String
  let isPlain: Bool

  init(_ url: String) throws(OutboundError) {
    guard url.utf8.count <= 8_192, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let parsed = curl_url() else {
      throw OutboundError(.invalidRequest, "the URL is not valid")
    }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
      let scheme = Self.part(CURLUPART_SCHEME, of: parsed)?.lowercased(),
      let host = Self.part(CURLUPART_HOST, of: parsed)?.lowercased(), !host.isEmpty,
      Self.part(CURLUPART_USER, of: parsed) == nil, Self.part(CURLUPART_PASSWORD, of: parsed) == nil,
      Self.part(CURLUPART_FRAGMENT, of: parsed) == nil
    else { throw OutboundError(.invalidRequest, "the URL is not valid") }
    guard scheme == "https" || scheme == "http" else {
      throw OutboundError(.forbiddenAddress, "the URL must use https")
    }
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    isPlain = scheme == "http"
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
