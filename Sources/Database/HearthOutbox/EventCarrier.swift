import HearthOutbound
import HearthPlugin
import HearthTree
import HearthTriggers

/// An event as it is sent to its receiver.
struct CarriedEvent: Sendable {
  /// The event's ID.
  var id: String
  /// The body, in the trigger's ``EventForm``.
  var body: [UInt8]
  /// The time of this attempt, in seconds since 1970.
  var seconds: Int64
}

/// A transport for a trigger's events to their receiver.
protocol EventCarrier: Sendable {
  /// Delivers an event to the receiver and returns the outcome.
  func carry(_ event: CarriedEvent) async -> AttemptOutcome
}

/// A carrier that posts events to a URL.
struct WebCarrier: EventCarrier {
  let url: String
  let definition: TriggerDefinition
  let client: any OutboundHTTP

  func carry(_ event: CarriedEvent) async -> AttemptOutcome {
    let signed = definition.headers(id: event.id, seconds: event.seconds, body: event.body)
    let headers =
      [OutboundHeader("Content-Type", definition.form.contentType)]
      + signed.map { OutboundHeader($0.name, $0.value) }
    var request = OutboundRequest(
      method: .post, url: url, headers: headers, body: event.body, timeoutSeconds: definition.timeoutSeconds,
      responseSizeBytesMax: TriggerLimits.answerBytesMax)
    (request.truncatesResponse, request.connectTimeoutSeconds) = (true, TriggerLimits.connectTimeoutSeconds)
    do throws(OutboundError) { return AttemptOutcome(try await client.send(request)) } catch {
      return AttemptOutcome(error)
    }
  }
}

/// A carrier that passes events to a plugin, if one of that name runs.
struct PluginEventCarrier: EventCarrier {
  let plugin: String
  let receiver: @Sendable (_ plugin: String) -> (any WriteReceiver)?

  func carry(_ event: CarriedEvent) async -> AttemptOutcome {
    guard let receiver = receiver(plugin) else { return .notRun("plugin \(plugin) is not running") }
    guard let written = try? JSON(parsing: event.body)?.decoded(as: WriteEvent.self) else {
      return .refused("the stored event is not an event of a write")
    }
    do {
      try await receiver.take(written)
      return .done
    } catch let failure as WriteReceiverFailure {
      return AttemptOutcome(failure)
    } catch {
      return .failed("plugin \(plugin) failed")
    }
  }
}

extension SenderEnvironment {
  /// Returns the carrier for a trigger's target.
  func carrier(for definition: TriggerDefinition) -> any EventCarrier {
    let url: String
    switch definition.target {
    case .plugin(let plugin): return PluginEventCarrier(plugin: plugin, receiver: receiver)
    case .url(let text): url = text
    }
    // An invalid URL makes every request to it fail.
    let policy = try? OutboundPolicy.forReceiver(at: url, allowsPrivate: definition.allowsPrivate)
    return WebCarrier(url: url, definition: definition, client: client(policy ?? .publicHTTPS))
  }
}

extension AttemptOutcome {
  fileprivate init(_ response: OutboundResponse) {
    self.init(status: response.status, retryAfter: response.header("Retry-After"))
  }

  fileprivate init(_ error: OutboundError) {
    switch error.code {
    case .invalidRequest, .forbiddenAddress, .untrusted, .busy, .cancelled, .refused: self = .notRun("\(error)")
    case .unreachable: self = error.wasAnswered ? .unknown("\(error)") : .notRun("\(error)")
    case .timedOut: self = error.wasSent ? .unknown("\(error)") : .notRun("\(error)")
    case .tooLarge, .malformedResponse: self = .unknown("\(error)")
    }
  }

  fileprivate init(_ failure: WriteReceiverFailure) {
    switch failure {
    case .notRun(let reason): self = .notRun(reason)
    case .failed(let reason): self = .failed(reason)
    case .unknown(let reason): self = .unknown(reason)
    }
  }
}
