import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthSystem

/// A client of a service: it sends each message as a signed request, and reads the answer, within limits.
struct WebhookClient: Sendable {
  let url: String
  let secrets: [PluginSecret]
  let client: any OutboundHTTP
  /// The maximum size of an answer, in bytes.
  let answerBytesMax: Int
  /// The prefix of the ids of this runner's messages.
  let prefix: String

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - name: the message's id, unlike all others.
  ///   - milliseconds: the time to wait for the answer.
  /// - Returns: the answer, or the failure for the caller.
  func send(
    _ message: HostMessage, named name: String, milliseconds: Int64
  ) async -> Result<PluginMessage, WebhookFailure> {
    let (body, now) = (message.json.text(), Clock.wallMilliseconds)
    let valid = secrets.filter { $0.counts(now: now) }.map(\.secret)
    // Never unsigned, even when every secret has expired.
    guard !valid.isEmpty else { return .failure(WebhookFailure(.unreachable("the secret for signing is missing"))) }
    switch await post(body, named: name, signedWith: valid, seconds: now / 1_000, milliseconds: milliseconds) {
    case .failure(let failure): return .failure(failure)
    case .success(let response): return Self.message(in: response)
    }
  }

  /// Posts bytes as a message with these signatures.
  func post(
    _ body: [UInt8], named name: String, signedWith secrets: [WebhookSecret], seconds: Int64, milliseconds: Int64
  ) async -> Result<OutboundResponse, WebhookFailure> {
    let signed = WebhookSecret.headers(secrets, id: prefix + name, seconds: seconds, body: body)
    let headers =
      [OutboundHeader("Content-Type", "application/json"), OutboundHeader("Accept", "application/json")]
      + signed.map { OutboundHeader($0.name, $0.value) }
    var request = OutboundRequest(
      method: .post, url: url, headers: headers, body: body, responseSizeBytesMax: answerBytesMax)
    request.timeoutMilliseconds = max(1, milliseconds)
    do throws(OutboundError) {
      return .success(try await client.send(request))
    } catch {
      return .failure(WebhookFailure(error, answerBytesMax: answerBytesMax))
    }
  }

  private static func message(in response: OutboundResponse) -> Result<PluginMessage, WebhookFailure> {
    switch response.status {
    case 200..<300: break
    case 300..<400: return .failure(WebhookFailure(.unusable("a redirect, which is not followed")))
    default: return .failure(WebhookFailure(.unreachable("it returned status \(response.status)")))
    }
    do throws(PluginFault) { return .success(try PluginMessage(line: response.body)) } catch {
      return .failure(WebhookFailure(.unusable(error.rawValue)))
    }
  }
}

/// The failure of a message that got no valid answer.
struct WebhookFailure: Error {
  /// The outcome for the caller.
  let outcome: PluginOutcome
  /// True when the caller gave up, which is no evidence about the service.
  var wasCancelledByCaller = false

  init(_ outcome: PluginOutcome) { self.outcome = outcome }

  init(_ error: OutboundError, answerBytesMax: Int) {
    wasCancelledByCaller = error.code == .cancelled
    outcome =
      switch error.code {
      case .timedOut, .cancelled: .late
      case .busy: .overloaded
      case .tooLarge: .unusable("a response of more than \(answerBytesMax) bytes")
      case .malformedResponse: .unusable("a response that is not HTTP")
      case .invalidRequest, .forbiddenAddress, .unreachable, .untrusted, .refused: .unreachable(error.message)
      }
  }
}

extension WebhookClient {
  /// Creates a client of that service.
  ///
  /// - Throws: ``PluginProblem`` when the system has no random numbers.
  init(
    _ service: PluginService, secrets: [PluginSecret], client: any OutboundHTTP, answerBytesMax: Int
  ) throws(PluginProblem) {
    do throws(RandomnessError) {
      self.init(
        url: service.url, secrets: secrets, client: client, answerBytesMax: answerBytesMax,
        prefix: try RandomBytes.system.alphanumeric(length: 16) + "-")
    } catch {
      throw PluginProblem(error.description)
    }
  }

  /// Makes an HTTP client over libcurl, with threads of its own: a hanging service delays no other.
  static let client: @Sendable (OutboundPolicy, _ connections: Int) -> any OutboundHTTP = { policy, connections in
    OutboundClient(
      policy: policy, pool: OutboundPool(slots: connections, queueMax: WebhookRunner.openMax), keepsConnections: true)
  }
}
