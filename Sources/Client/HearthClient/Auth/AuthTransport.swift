import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request to the account service. Its body may contain secrets and must not be printed.
package struct AuthRequest: Sendable {
  /// The URL of the request.
  package var url: URL
  /// The HTTP method.
  package var method = "POST"
  /// The headers by name.
  package var headers: [String: String]
  /// The body, which may contain a password.
  package var body: [UInt8]

  /// Creates a POST request.
  package init(url: URL, headers: [String: String], body: [UInt8]) {
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// The server's response, with any status.
package struct AuthAnswer: Sendable {
  /// The HTTP status.
  package var status: Int
  /// The body, at most ``AuthTransport/answerBytesMax`` bytes.
  package var body: [UInt8]

  /// Creates a response.
  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// The transport of requests to the account service.
package protocol AuthTransport: Sendable {
  /// Sends a request and returns the response; throws ``AuthErrorCode/networkError`` when there is none.
  func send(_ request: AuthRequest) async throws -> AuthAnswer
}

extension AuthTransport {
  /// The maximum size of a response's body. The largest actual one is an account with its providers' profiles, some
  /// kilobytes.
  package static var answerBytesMax: Int { 1 << 20 }
}

/// A transport over the system's URL loading: no cookies, no cache, no redirects, bounded in time and size.
package final class URLSessionTransport: NSObject, AuthTransport {
  /// The shared instance; it has no state but the requests in flight.
  package static let shared = URLSessionTransport()

  private typealias Continuation = CheckedContinuation<AuthAnswer, any Error>

  private struct Pending {
    var continuation: Continuation
    var status = 0
    var body: [UInt8] = []
    var isTooLong = false
  }

  private let pending = LockedValue<[Int: Pending]>([:])
  private let session = LockedValue<URLSession?>(nil)
  private let timeoutSeconds: TimeInterval

  /// - Parameter timeoutSeconds: The time from the start of a request to its end.
  package init(timeoutSeconds: TimeInterval = 30) {
    self.timeoutSeconds = timeoutSeconds
    super.init()
  }

  /// Sends a request and returns the response; throws ``AuthErrorCode/networkError`` when there is none.
  package func send(_ request: AuthRequest) async throws -> AuthAnswer {
    var asked = URLRequest(url: request.url)
    asked.httpMethod = request.method
    asked.httpBody = Data(request.body)
    for (name, value) in request.headers { asked.setValue(value, forHTTPHeaderField: name) }
    let session = openSession()
    return try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: asked)
      pending.withLock { $0[task.taskIdentifier] = Pending(continuation: continuation) }
      task.resume()
    }
  }

  private func openSession() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.httpShouldSetCookies = false
      configuration.urlCredentialStorage = nil
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.timeoutIntervalForRequest = timeoutSeconds
      configuration.timeoutIntervalForResource = timeoutSeconds
      let opened = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      session = opened
      return opened
    }
  }
}

extension URLSessionTransport: URLSessionDataDelegate {
  /// Refuses redirects, which would carry a password to an unconfigured address; the redirect itself is the response.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Handles the status.
  package func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    let isTooLong = response.expectedContentLength > Int64(Self.answerBytesMax)
    pending.withLock {
      $0[dataTask.taskIdentifier]?.status = status
      if isTooLong { $0[dataTask.taskIdentifier]?.isTooLong = true }
    }
    completionHandler(isTooLong ? .cancel : .allow)
  }

  /// Handles a part of the body; ends the request at the limit.
  package func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = pending.withLock { pending in
      guard var mine = pending[dataTask.taskIdentifier], !mine.isTooLong else { return false }
      if mine.body.count + data.count > Self.answerBytesMax {
        mine.isTooLong = true
        mine.body = []
      } else {
        mine.body += data
      }
      pending[dataTask.taskIdentifier] = mine
      return mine.isTooLong
    }
    if isTooLong { dataTask.cancel() }
  }

  /// Handles the end of the request.
  package func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if ended.isTooLong {
      ended.continuation.resume(throwing: AuthErrorCode.internalError.error("The server's answer is too long."))
    } else if let error {
      // The error itself is not used: it contains the URL, which contains the API key.
      let code = (error as? URLError)?.code.rawValue ?? (error as NSError).code
      ended.continuation.resume(
        throwing: AuthErrorCode.networkError.error("\(AuthErrorCode.networkError.text) (URLError \(code))"))
    } else {
      ended.continuation.resume(returning: AuthAnswer(status: ended.status, body: ended.body))
    }
  }
}
