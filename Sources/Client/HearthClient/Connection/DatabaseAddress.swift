import HearthTree
import HearthWire

/// The address of a database: the host to connect to and the database's namespace on it.
struct DatabaseAddress: Sendable, Hashable {
  /// The host name or address, in lower case without brackets.
  var host: String
  /// The port; nil for the default.
  var port: Int?
  /// True when the connection uses TLS.
  var isSecure: Bool
  /// The namespace of the database; empty for the server's default database.
  var namespace: String
  /// True for an emulator, whose redirection to another host is ignored.
  var isEmulator = false

  /// Creates an address from its parts.
  init(host: String, port: Int? = nil, isSecure: Bool, namespace: String, isEmulator: Bool = false) {
    self.host = host.lowercased()
    self.port = port
    self.isSecure = isSecure
    self.namespace = namespace.lowercased()
    self.isEmulator = isEmulator
  }

  /// Returns the address of the same database on an emulator, without TLS.
  ///
  /// - Parameter host: A name, or an address without brackets; no port.
  func onEmulator(host: String, port: Int) -> DatabaseAddress {
    DatabaseAddress(host: host, port: port, isSecure: false, namespace: namespace, isEmulator: true)
  }

  /// The host and port as written in URLs.
  var authority: String { hostAndPort.text }

  /// The host and port to connect to.
  var hostAndPort: HostAndPort { HostAndPort(host: host, port: port) }

  /// The error for a string that is not a database URL.
  struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and its remedy.
    var description: String
  }

  /// Parses a database URL, which may contain the percent-encoded path of a location: `https://NAME.firebaseio.com`,
  /// `http://localhost:9000/?ns=NAME`, `wss://host/?ns=NAME`.
  ///
  /// `ns` overrides the host's first label, which names the database only if there are three labels or more; without
  /// either, the URL refers to the server's default database. As in the Firebase SDKs, a URL without a port means TLS,
  /// whatever its scheme, unless the host is an IP address or has fewer than three labels, which Firebase's hosts never
  /// have.
  static func parse(_ url: String) throws(Problem) -> (address: DatabaseAddress, path: Path) {
    let (scheme, afterScheme) = try scheme(of: url)
    let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? afterScheme.endIndex
    let (host, port) = try authority(afterScheme[..<end], of: url)
    let rest = afterScheme[end...].prefix { $0 != "#" }
    let pathText = rest.prefix { $0 != "?" }
    var parameter: String?
    for item in rest.dropFirst(pathText.count + 1).split(separator: "&") where item.hasPrefix("ns=") {
      parameter = PercentEncoding.decodeLeniently(item.dropFirst(3).utf8)
    }
    let namespace = Namespace.choose(parameter: parameter, host: host, fallback: "")
    var keys: [Key] = []
    for part in pathText.split(separator: "/") {
      guard let key = PercentEncoding.decodeLeniently(part.utf8) else {
        throw Problem(description: "\(url) has a path that is not UTF-8 once it is decoded")
      }
      keys.append(Key(key))
    }
    let isFirebase = !Namespace.choose(parameter: nil, host: host, fallback: "").isEmpty
    let isSecure = scheme == "https" || scheme == "wss" || (port == nil && isFirebase)
    return (DatabaseAddress(host: host, port: port, isSecure: isSecure, namespace: namespace), Path(keys))
  }

  private static func scheme(of url: String) throws(Problem) -> (String, Substring) {
    guard let separator = url.firstRange(of: "://") else {
      throw Problem(description: "\(url) is no URL: it begins with https://, http://, wss:// or ws://")
    }
    let scheme = url[..<separator.lowerBound].lowercased()
    guard ["https", "http", "wss", "ws"].contains(scheme) else {
      throw Problem(description: "\(url) has the scheme \(scheme); a database has https, http, wss or ws")
    }
    return (scheme, url[separator.upperBound...])
  }

  private static func authority(_ text: Substring, of url: String) throws(Problem) -> (String, Int?) {
    guard let parts = HostAndPort(text) else {
      throw Problem(description: "\(url) has no host, or a port that is not a number from 1 to 65535")
    }
    return (parts.host, parts.port)
  }
}

/// The host and port in `host`, `host:port` or `[address]:port`, restricted to characters that are safe in a header or
/// URL.
struct HostAndPort: Sendable, Equatable {
  /// The host in lower case, without brackets.
  var host: String
  /// The port; nil when it is omitted.
  var port: Int?

  /// Creates the value from a host without brackets and a port.
  init(host: String, port: Int?) { (self.host, self.port) = (host, port) }

  /// The form in URLs and headers.
  var text: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port.map { "\(name):\($0)" } ?? name
  }

  /// Reads a host with an optional port; nil when the text has another format.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 1_024 else { return nil }
    var rest = Substring(text)
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<end].lowercased()
      rest = rest[rest.index(after: end)...]
      guard host.utf8.contains(UInt8(ascii: ":")), host.utf8.allSatisfy({ Self.isAddressByte($0) }) else { return nil }
    } else {
      host = rest.prefix { $0 != ":" }.lowercased()
      rest = rest.dropFirst(rest.prefix { $0 != ":" }.count)
      guard !host.isEmpty, host.utf8.allSatisfy({ Self.isNameByte($0) }) else { return nil }
    }
    guard !rest.isEmpty else { return }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(digits), (1...65_535).contains(number)
    else { return nil }
    port = number
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), 0x30...0x39, UInt8(ascii: ":"), UInt8(ascii: "."): true
    default: false
    }
  }
}
