import HearthEngine
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// The handler of REST requests on one event loop. It parses each request and calls its operation.
struct RESTHandler {
  let services: GatewayServices
  let hub: LoopHub

  /// Responds to a request.
  ///
  /// - Parameter completion: called once, on this loop.
  func respond(to http: HTTPRequest, completion: @escaping RESTResponse.Completion) {
    if http.method == .OPTIONS { return completion(.preflight(http.headers)) }
    do throws(RESTFailure) {
      if http.path == ReceiptList.path {
        return try ReceiptList(services: services, hub: hub).answer(http, completion: completion)
      }
      if http.path == MetricsPage.path {
        return try MetricsPage(services: services, hub: hub).answer(http, completion: completion)
      }
      let query = try URLQuery(of: http)
      let envelope = try RESTEnvelope(http, query)
      respond(to: http, query, envelope) { completion(envelope.wrap($0)) }
    } catch {
      completion(RESTResponse(error))
    }
  }

  private func respond(
    to http: HTTPRequest, _ query: URLQuery, _ envelope: RESTEnvelope, completion: @escaping RESTResponse.Completion
  ) {
    do throws(RESTFailure) {
      let request = try RESTRequest(http, query, defaultNamespace: services.defaultNamespace)
      let origin = services.origin(of: http)
      services.find(
        request.credential, for: request.namespace, from: origin, now: SystemClock.now, on: hub.loop
      ) { caller in
        switch caller {
        case .success(let caller): respond(to: http, request, envelope, caller, origin, completion: completion)
        case .failure(let failure): completion(RESTResponse(failure))
        }
      }
    } catch {
      completion(RESTResponse(error))
    }
  }

  private func respond(
    to http: HTTPRequest, _ request: RESTRequest, _ envelope: RESTEnvelope, _ caller: VerifiedCaller,
    _ origin: RequestOrigin, waits: Int = 0, completion: @escaping RESTResponse.Completion
  ) {
    let client = Self.claimant(caller, origin)
    if let wait = services.quotas.wait(of: client, in: request.namespace) {
      if waits == 0 { services.quotas.noteWait(in: request.namespace) }
      guard Self.mayWait(wait, waits, holding: request.body.readableBytes) else {
        return completion(RESTResponse(.overWork(wait)))
      }
      hub.loop.assumeIsolated().scheduleTask(in: .milliseconds(wait.milliseconds)) {
        respond(to: http, request, envelope, caller, origin, waits: waits + 1, completion: completion)
      }
      return
    }
    if case .data = request.target,
      let refusal = services.quotas.refusal(
        ofRequest: request.body.readableBytes, in: request.namespace, as: caller.principal, from: origin.address)
    {
      return completion(RESTResponse(RESTFailure(refusal)))
    }
    let cancellation = http.cancellation ?? RequestCancellation()
    var call = RESTCall(
      services: services, hub: hub, request: request, caller: caller, origin: origin, now: SystemClock.now,
      envelope: envelope, cancellation: cancellation, completion: completion)
    let (quotas, namespace) = (services.quotas, request.namespace)
    quotas.charge(WorkAmount(bytesRead: request.body.readableBytes), to: client, in: namespace)
    call.completion = { response in
      quotas.charge(WorkAmount(bytesWritten: response.body.readableBytes), to: client, in: namespace)
      completion(response)
    }
    if let milliseconds = request.timeoutMilliseconds {
      let deadline = RESTDeadline(
        milliseconds: milliseconds, on: hub.loop, cancellation: cancellation, completion: call.completion)
      call.completion = deadline.finish
    }
    do throws(RESTFailure) { try answer(call, for: http) } catch { call.completion(RESTResponse(error)) }
  }

  private static func claimant(_ caller: VerifiedCaller, _ origin: RequestOrigin) -> ShareClaimant {
    ShareClaimant(
      account: caller.principal.uid, network: origin.network, isAdministrator: caller.principal.readsAll)
  }

  /// Returns true when a request of a client with too much unpaid work may wait, and false when it is refused. With
  /// more than ``QuotaLimits/unpaidBytesMax`` of its body in memory it may wait fewer times, and only for short waits.
  private static func mayWait(_ wait: DatabaseAllowance.Wait, _ waits: Int, holding sizeBytes: Int) -> Bool {
    if sizeBytes <= QuotaLimits.unpaidBytesMax { return waits < QuotaLimits.workWaitsMax }
    return waits < QuotaLimits.largeBodyWaitsMax && wait.nanoseconds <= QuotaLimits.pauseMillisecondsMax * 1_000_000
  }

  /// Returns the time for which a request's client still has to wait because of its work, and the database; nil when it
  /// need not wait, and for a request that is refused for another reason.
  func workWait(of http: HTTPRequest) -> (wait: DatabaseAllowance.Wait, database: String)? {
    guard let query = try? URLQuery(of: http),
      let request = try? RESTRequest(http, query, defaultNamespace: services.defaultNamespace)
    else { return nil }
    let origin = services.origin(of: http)
    var caller = VerifiedCaller.signedOut
    if let credential = request.credential {
      // A credential that needs a plugin counts as none until it is verified.
      let found = Result { () throws(RESTFailure) in
        try services.findWithoutPlugin(at: credential, for: request.namespace, from: origin, now: SystemClock.now)
      }
      guard case .success(let known) = found else { return nil }
      caller = known ?? caller
    }
    return services.quotas.wait(of: Self.claimant(caller, origin), in: request.namespace).map {
      ($0, request.namespace)
    }
  }

  /// Calls the operation of a request. A new operation is a case of ``RESTTarget``, a file in `Operations`, and a line
  /// here.
  private func answer(_ call: RESTCall, for http: HTTPRequest) throws(RESTFailure) {
    // A simulating credential asks that writes are not carried out. No operation supports that, so the request is refused.
    guard !call.caller.isSimulating || call.request.method.isRead else { throw .notServed("a simulated write") }
    try call.services.check(call.request.requirement, of: call.caller, from: call.origin)
    switch call.request.target {
    case .data(let location): try data(location, call, for: http)
    case .upload(let path): try DataUpload(call: call, path: path).answer()
    case .rules: try RulesInForce(call: call).answer()
    case .rulesVersions(let id): try RulesHistory(call: call, id: id).answer()
    case .rulesRollback: try RulesRollback(call: call).answer()
    case .rulesDecisions: try RulesDecisions(call: call).answer()
    case .stagedRules: try StagedRules(call: call).answer()
    case .rulesPromotion: try RulesPromotion(call: call).answer()
    case .rulesets(let id): try StoredRulesets(call: call, id: id).answer()
    case .rulesetLabels: try RulesetLabels(call: call).answer()
    case .setting(let setting): try SettingOperation(call: call, setting: setting).answer()
    case .triggers(let name, let part): try TriggerOperation(call: call, name: name, part: part).answer()
    case .denial(let trace): try DenialExplanation(call: call, trace: trace).answer()
    case .coverage(let isPage): try CoverageView(call: call, isPage: isPage).answer()
    case .history:
      guard let selection = call.request.history else { throw .notFound }
      try HistoryList(call: call, selection: selection).answer()
    case .databases: try DatabaseList(call: call).answer()
    case .databaseManagement(let name): try DatabaseManagement(call: call, name: name).answer()
    }
  }

  private func data(_ location: Location, _ call: RESTCall, for http: HTTPRequest) throws(RESTFailure) {
    let request = call.request
    if request.wantsEvents {
      // A foreign page can make a browser open streams as it can make it load images.
      return try StreamStart(call: call, location: location).answer(
        creating: RequestingPage(http) == .foreign ? .never : .byMode)
    }
    if let text = request.at { return try PastRead(call: call, location: location, text: text).answer() }
    if request.wantsChecksum {
      return call.withReading { ChecksumRead(call: call, location: location, source: $0).answer() }
    }
    if request.method.isRead {
      return call.withReading { DataRead(call: call, location: location, source: $0).answer() }
    }
    call.withDatabase(.byMode) { database throws(RESTFailure) in
      try DataWrite(call: call, location: location, database: database).answer()
    }
  }

  /// Returns true when a request has a valid credential. Called before a large body is read; after that the request is
  /// checked like any other. A credential that needs a plugin counts as none until then.
  ///
  /// - Throws: the response to an invalid credential.
  func isSignedIn(_ http: HTTPRequest) throws(RESTFailure) -> Bool {
    guard let credential = try RESTCredential(headers: http.headers, query: try URLQuery(of: http)) else {
      return false
    }
    return try services.findWithoutPlugin(
      at: credential, for: nil, from: services.origin(of: http), now: SystemClock.now) != nil
  }
}
