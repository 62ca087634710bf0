import HearthTransport

/// A responder for administrators' tools in JSON, with one small body limit for all callers.
protocol ToolResponder: HTTPResponder {
  /// The maximum size of a body.
  var bodyBytesMax: Int { get }
}

extension ToolResponder {
  var bodyBytesMax: Int { 4 << 10 }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    let (status, text) = failure.explanation
    return HTTPResponse.refusal(status, text)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
    HTTPBodyLimit(
      bytesMax: bodyBytesMax, response: { HTTPResponse.refusal(.payloadTooLarge, "The request is too large.") })
  }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .anonymous }
}
