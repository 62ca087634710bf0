import CCurl

/// A client for requests by libcurl. It verifies TLS with the system's authorities, uses no redirects, proxies, cookies
/// or decompression, and checks every address before it opens a socket.
public final class OutboundClient: OutboundHTTP {
  private let policy: OutboundPolicy
  private let pool: OutboundPool
  private let handlePool: CurlHandlePool?

  /// - Parameters:
  /// - policy: The addresses that requests may be sent to.
  /// - pool: The threads that perform the transfers.
  /// - keepsConnections: True to reuse connections for requests to the same host. Their addresses were checked when
  ///   they were opened.
  public init(
    policy: OutboundPolicy = .publicHTTPS, pool: OutboundPool = .shared, keepsConnections: Bool = false
  ) {
    self.policy = policy
    self.pool = pool
    handlePool = keepsConnections ? CurlHandlePool() : nil
  }

  /// Sends the request on a thread of the pool; cancelling the task ends the transfer.
  ///
  /// - Throws: An ``OutboundError`` when there is no answer; an answer with an error status does not throw.
  public func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
    let target = try OutboundTarget(request.url)
    try check(request, to: target)
    let transfer = Transfer(
      policy: policy, host: target.host, isPlain: target.isPlain, timeout: .milliseconds(request.timeoutMilliseconds),
      sizeBytesMax: request.responseSizeBytesMax, truncatesBody: request.truncatesResponse,
      connectTimeoutSeconds: request.connectTimeoutSeconds)
    let result = await pool.run(transfer) { [handlePool] in Self.perform(request, over: transfer, from: handlePool) }
    return try result.get()
  }

  private func check(_ request: OutboundRequest, to target: OutboundTarget) throws(OutboundError) {
    guard !target.isPlain || policy.allowsPlainHTTP else {
      throw OutboundError(.forbiddenAddress, "requests to \(target.host) must use https")
    }
    for header in request.headers {
      let name = header.name.utf8
      guard !name.isEmpty, name.allSatisfy(Self.isTokenByte), header.value.utf8.allSatisfy(Self.isValueByte) else {
        throw OutboundError(.invalidRequest, "a header has an invalid character")
      }
    }
  }

  /// Returns true for the characters of RFC 9110's `tchar` that usual header names have.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }

  private static func perform(
    _ request: OutboundRequest, over transfer: Transfer, from handlePool: CurlHandlePool?
  ) -> Result<OutboundResponse, OutboundError> {
    request.body.withUnsafeBytes { body in
      transfer.perform(from: handlePool) { handle in
        handle.set(CURLOPT_URL, request.url)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        if request.method != .get || !body.isEmpty {
          handle.set(CURLOPT_POST, true)
          handle.set(size: CURLOPT_POSTFIELDSIZE_LARGE, body.count)
          // libcurl only reads the body, and only until the transfer ends. An empty body still needs a pointer;
          // otherwise libcurl would call the read callback.
          let bytes = body.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
          if body.isEmpty {
            handle.set(CURLOPT_COPYPOSTFIELDS, "")
          } else {
            handle.set(pointer: CURLOPT_POSTFIELDS, bytes)
          }
        }
        handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        handle.set(CURLOPT_HTTPHEADER, lines(request.headers))
      } finish: { code, status in
        guard code == CURLE_OK else { return .failure(transfer.error(code)) }
        let headers = OutboundHeader.parse(transfer.headerLines)
        return .success(OutboundResponse(status: status, headers: headers, body: transfer.received))
      }
    }
  }

  /// Returns header lines in libcurl's format: a name followed by `;` is a header with an empty value, and a name
  /// followed by `:` alone removes a header that libcurl would add.
  private static func lines(_ headers: [OutboundHeader]) -> [String] {
    let given = headers.map { $0.value.isEmpty ? $0.name + ";" : $0.name + ": " + $0.value }
    let names = Set(headers.map { $0.name.lowercased() })
    let unwanted = ["Expect", "Content-Type"].filter { !names.contains($0.lowercased()) }
    return given + unwanted.map { $0 + ":" }
  }
}

extension OutboundHeader {
  /// Returns the fields of the last header block; those of informational answers come before it.
  static func parse(_ lines: [[UInt8]]) -> [OutboundHeader] {
    var headers: [OutboundHeader] = []
    for line in lines {
      if line.starts(with: Array("HTTP/".utf8)) {
        headers = []
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A }
      headers.append(
        OutboundHeader(
          String(decoding: line[..<colon], as: UTF8.self),
          end.map { String(decoding: value[...$0], as: UTF8.self) } ?? ""))
    }
    return headers
  }
}
