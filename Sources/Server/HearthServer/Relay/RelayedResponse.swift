import HearthTransport
import NIOCore
import NIOHTTP1

/// A node's response to a forwarded request.
///
/// ```
/// answer = version (1) kind (1) fields     as in ``RelayedRequest``
///          1 response status (2) pause (8) headers body   2 notOwner   3 notUnderstood
/// ```
enum RelayedResponse: Sendable {
  /// A complete response.
  case response(HTTPResponse)
  /// The node does not own such requests. The request was not carried out.
  case notOwner
  /// The node cannot read the request. The request was not carried out.
  case notUnderstood

  private static let version: UInt8 = 1
  /// The statuses of complete responses.
  private static let statuses: ClosedRange<UInt16> = 200...599
  /// The pauses in milliseconds for which a client's connection may not be read.
  private static let pauses: ClosedRange<Int64> = 0...600_000

  /// The response in bytes; nil for a stream, or when it is too large.
  var encoded: [UInt8]? {
    var writer = RelayWriter()
    writer.number(Self.version)
    switch self {
    case .response(let response):
      guard response.stream == nil, Self.statuses.contains(UInt16(clamping: response.status.code)),
        response.headers.count <= RelayLimits.headersMax, response.headers.allSatisfy({ RelayReader.isToken($0.name) }),
        response.headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= RelayLimits.headBytesMax,
        response.body.readableBytes < RelayLimits.messageBytesMax
      else { return nil }
      writer.number(1 as UInt8)
      writer.number(UInt16(clamping: response.status.code))
      writer.number(min(max(response.readPauseMilliseconds, Self.pauses.lowerBound), Self.pauses.upperBound))
      writer.headers(response.headers)
      writer.body(response.body)
    case .notOwner: writer.number(2 as UInt8)
    case .notUnderstood: writer.number(3 as UInt8)
    }
    guard writer.buffer.readableBytes <= RelayLimits.messageBytesMax else { return nil }
    return Array(writer.buffer.readableBytesView)
  }

  /// Reads another node's response.
  ///
  /// - Throws: ``MalformedRelay``, also for one of another version.
  init(encoded bytes: [UInt8]) throws(MalformedRelay) {
    var reader = try RelayReader(bytes)
    let version = try reader.number(UInt8.self)
    guard version == Self.version else { throw MalformedRelay(description: "an answer of version \(version)") }
    switch try reader.number(UInt8.self) {
    case 1: self = .response(try reader.response(Self.statuses, Self.pauses))
    case 2: self = .notOwner
    case 3: self = .notUnderstood
    case let kind: throw MalformedRelay(description: "unknown kind \(kind) of reply")
    }
    try reader.end()
  }
}

extension RelayReader {
  fileprivate mutating func response(
    _ statuses: ClosedRange<UInt16>, _ pauses: ClosedRange<Int64>
  ) throws(MalformedRelay) -> HTTPResponse {
    let (status, pause) = (try number(UInt16.self), try number(Int64.self))
    guard statuses.contains(status), pauses.contains(pause) else {
      throw MalformedRelay(description: "the status \(status), or a pause of \(pause) ms")
    }
    let headers = try headers()
    var response = HTTPResponse(HTTPResponseStatus(statusCode: Int(status)), headers: headers, body: try body())
    response.readPauseMilliseconds = pause
    return response
  }
}
