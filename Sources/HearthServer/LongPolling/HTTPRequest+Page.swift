extension HTTPRequest {
  /// The same request with the origin of the page that asks. For scripts browsers send no `Origin`, so that a page of any
  /// site would pass for a program on this machine.
  var namingItsPage: HTTPRequest {
    guard header("Origin") == nil else { return self }
    // Both are written by the browser, and out of a page's reach.
    if let site = header("Sec-Fetch-Site"), ["same-origin", "same-site"].contains(site) { return self }
    var request = self
    request.headers.add(name: "Origin", value: header("Referer").flatMap(Self.origin(ofURL:)) ?? "null")
    return request
  }

  private static func origin(ofURL url: String) -> String? {
    guard let scheme = url.utf8.firstRange(of: "://".utf8) else { return nil }
    let end = url.utf8[scheme.upperBound...].firstIndex {
      [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0)
    }
    return String(url[..<(end ?? url.endIndex)])
  }
}
