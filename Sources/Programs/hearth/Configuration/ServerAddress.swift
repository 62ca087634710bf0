import ArgumentParser
import HearthBytes

/// The address of a server: `https://auth.example.com`, `http://127.0.0.1:9000`.
struct ServerAddress: Sendable, ExpressibleByArgument, CustomStringConvertible {
  var isTLS: Bool
  /// The host name or address, an IPv6 one without brackets.
  var host: String
  var port: Int

  init(isTLS: Bool, host: String, port: Int) {
    self.isTLS = isTLS
    self.host = host
    self.port = port
  }

  init?(argument: String) {
    let isTLS = argument.hasPrefix("https://")
    guard isTLS || argument.hasPrefix("http://") else { return nil }
    var rest = argument.dropFirst(isTLS ? 8 : 7)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    var port = isTLS ? 443 : 80
    let host: Substring
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest.dropFirst(host.count)
    }
    if !rest.isEmpty {
      guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
      port = number
    }
    let isClean = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") }
    guard !host.isEmpty, isClean else { return nil }
    self.init(isTLS: isTLS, host: String(host), port: port)
  }

  /// True when the server is on this machine.
  var isLoopback: Bool { IPAddress.isLoopback(host: host) }

  /// The value of a `Host` header.
  var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  var description: String { (isTLS ? "https://" : "http://") + authority }
}
