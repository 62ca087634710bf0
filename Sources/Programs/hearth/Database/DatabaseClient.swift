import HearthProgram
import HearthTree
import NIOCore
import NIOHTTP1

/// A client of one database's REST interface, with error messages for the command line.
struct DatabaseClient: Sendable {
  typealias Parameters = [(name: String, value: String)]

  let http: HTTPClient
  /// The answering server, for messages.
  let place: String
  /// The namespace; nil lets the server choose.
  let namespace: String?
  /// The simulated `auth` of the rules; nil for an administrator, to whom they do not apply.
  let simulated: JSON?
  /// True when answers are printed as JSON, one value a line.
  let printsJSON: Bool

  /// The maximum size of a response in memory; longer ones are streamed.
  static let answerBytesMax = 64 << 20

  /// The server's message for a read with a too large response.
  private static let tooBig =
    "Data requested exceeds the maximum size that can be accessed with a single request."
  /// The server's message for a request that the rules deny.
  private static let denied = "Permission denied"
  /// The server's message for a too large write.
  private static let writeTooBig =
    "Data to write exceeds the maximum size that can be modified with a single request."

  /// The client of the same database as an administrator.
  var administrator: DatabaseClient {
    DatabaseClient(http: http, place: place, namespace: namespace, simulated: nil, printsJSON: printsJSON)
  }

  /// - Returns: The response's body.
  /// - Throws: ``AdminFailure`` for a response without success.
  @discardableResult
  func send(
    _ method: HTTPMethod, _ path: DataPath, _ parameters: Parameters = [], body: [UInt8]? = nil
  ) async throws -> [UInt8] {
    try await send(method, resource: path.resource, parameters, body: body)
  }

  /// Sends a request to a resource other than data, such as the rules.
  @discardableResult
  func send(
    _ method: HTTPMethod, resource: String, _ parameters: Parameters = [], body: [UInt8]? = nil
  ) async throws -> [UInt8] {
    let answer = try await http.send(method: method, target: target(resource, parameters), body: body)
    guard (200..<300).contains(answer.status) else { throw failure(answer.status, answer.body) }
    return answer.body
  }

  /// Reads a response while it arrives.
  ///
  /// - Parameter work: Called for a success only.
  func stream<Value: Sendable>(
    _ path: DataPath, _ parameters: Parameters = [], headers: [(String, String)] = [],
    silenceSecondsMax: Int64 = HTTPClient.timeoutSeconds,
    _ work: (_ body: inout HTTPClient.Body) async throws -> Value
  ) async throws -> Value {
    let target = target(path.resource, parameters)
    return try await http.stream(
      method: .GET, target: target, headers: headers, silenceSecondsMax: silenceSecondsMax
    ) { status, body in
      guard status == 200 else { throw failure(status, try await body.collect(bytesMax: 1 << 20)) }
      return try await work(&body)
    }
  }

  /// The kind of value at a location, determined by reading as few bytes as possible.
  enum Kind { case nothing, leaf, container }

  func kind(at path: DataPath) async throws -> Kind {
    try await stream(path, [("shallow", "true"), ("limitToFirst", "1")]) { body in
      while let piece = try await body.next() {
        guard let first = piece.readableBytesView.first(where: { $0 > 0x20 }) else { continue }
        switch first {
        case UInt8(ascii: "n"): return .nothing
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .container
        default: return .leaf
        }
      }
      throw AdminFailure("\(place) returned an empty response")
    }
  }

  private func target(_ resource: String, _ parameters: Parameters) -> String {
    var request = AdminRequest(path: resource, query: parameters)
    if let namespace { request.query.append(("ns", namespace)) }
    if let simulated {
      request.query.append(("auth_variable_override", String(decoding: simulated.text(), as: UTF8.self)))
    }
    return request.target
  }

  private func failure(_ status: Int, _ body: [UInt8]) -> AdminFailure {
    let json = JSON(parsing: body)
    var failure = AdminFailure(answer: json, status: status, place: place)
    let text = json?["error"]?.string ?? ""
    if text == Self.tooBig { failure.code = AdminFailure.tooBig }
    if text == Self.writeTooBig { failure.code = AdminFailure.writeTooBig }
    if status == 401, text == Self.denied, simulated != nil { failure.code = AdminFailure.permissionDenied }
    if let why = json?["text"]?.string {
      failure.description +=
        "\n" + why.split(separator: "\n").map { TextTable.printable(String($0)) }.joined(separator: "\n")
    } else if let advice = advice(status, text) {
      failure.description += " - " + advice
    }
    return failure
  }

  private func advice(_ status: Int, _ text: String) -> String? {
    switch (status, text) {
    case (401, Self.denied): simulated == nil ? "the token is not an administrator's" : nil
    case (401, _):
      "the server does not accept this administrator's token; name the server's data folder with --data, or --token-file"
    case (404, _):
      "name an existing database with --ns, or create it with hearth databases create, or with --create of hearth db import"
    case (_, Self.tooBig): "use hearth db export, which reads in parts"
    case (_, Self.writeTooBig):
      "use hearth db remove or hearth db import, which write in parts"
    default: nil
    }
  }
}

extension AdminFailure {
  /// The ``code`` of a read that was refused for its size.
  static let tooBig = "TOO_BIG"
  /// The ``code`` of a write that was refused for the size of its new or replaced data.
  static let writeTooBig = "WRITE_TOO_BIG"
  /// The ``code`` of a request that the rules deny to the user of `--as`.
  static let permissionDenied = "PERMISSION_DENIED"
}
