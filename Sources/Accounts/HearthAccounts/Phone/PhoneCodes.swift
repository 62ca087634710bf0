import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Sends codes to phones, and verifies them.
///
/// A code is six digits, which can be guessed. So it is worthless alone: its ticket is found by a random text that only
/// the requesting client gets, and holds the hash of both together.
struct PhoneCodes: Sendable {
  let context: AccountsContext
  let premium: PremiumNumberFilter
  private var captcha: CaptchaCheck { CaptchaCheck(context: context) }

  /// The account and purpose of a code.
  struct CodeRequest: Sendable {
    var purpose: Ticket.Purpose
    /// The phone number, in E.164.
    var number: String
    /// The account that the code is for; nil for a first factor.
    var user: UserRecord?
    /// The ticket of a pending sign-in's first factor, and the id of the enrolment.
    var pending: (ticket: Digest, factor: String)?
  }

  /// Creates a code and sends it to a number in an allowed region.
  ///
  /// The work is the same whether or not the number belongs to an account.
  ///
  /// - Returns: the session text of the code.
  /// - Throws: `invalidPhoneNumber`; `operationNotAllowed` for another region or a premium-rate number, or without an
  ///   SMS plugin; the errors of ``CaptchaCheck/require(_:client:now:)``; `tooManyAttempts` and `quotaExceeded` above
  ///   the limits for messages.
  func send(_ codeRequest: CodeRequest, _ request: PhoneRequest) async throws(AccountError) -> String {
    try PhoneNumber.check(codeRequest.number)
    // A service account can set the codes of test numbers: none is the second factor of an account that opens the
    // console.
    let configuration = context.configuration
    let opensConsole = codeRequest.user.map(configuration.opensConsole) ?? false
    let fixed = opensConsole ? nil : configuration.phone.testNumbers[codeRequest.number]
    let isShown = request.isEmulated && context.emulation != nil
    let code = if let fixed { fixed } else { try generateCode() }
    let isSent = !isShown && fixed == nil
    let message = isSent ? try message(code, to: codeRequest.number) : nil
    if message != nil { try await requireAdmitted(codeRequest.number, request) }
    // A test number costs no message, but its stored tickets and records have a limit all the same.
    if fixed != nil, !isShown,
      !context.messageThrottle.admitCodeTry(account: "sending to \(codeRequest.number)", now: request.now)
    {
      throw AccountError(.tooManyAttempts, "Too many codes for this number. Try again later.")
    }
    let new = try context.secrets.code()
    let now = request.now
    let nowSeconds = now.wallMilliseconds / 1_000
    var ticket = Ticket(
      purpose: codeRequest.purpose, uid: codeRequest.user?.uid, email: nil, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + codeRequest.purpose.lifetimeSeconds)
    ticket.phoneNumber = codeRequest.number
    var details = [JSON.Member("code", .string(Self.hash(code, new.text).hex))]
    if let pending = codeRequest.pending {
      details.append(JSON.Member("pending", .string(pending.ticket.hex)))
      details.append(JSON.Member("factor", .string(pending.factor)))
    }
    if isShown, let emulation = context.emulation {
      let order = emulation.nextOrder(nowMilliseconds: now.wallMilliseconds)
      details.append(JSON.Member("shown", .string(code)))
      details.append(JSON.Member("sessionInfo", .string(new.text)))
      details.append(JSON.Member("order", .int(order)))
    }
    ticket.details = String(decoding: JSON.object(details).text(), as: UTF8.self)
    try await context.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(new.hash, ticket)
      transaction.audit(
        AuditEvent(
          .codeIssued, uid: codeRequest.user?.uid, email: codeRequest.user?.email, client: request.client,
          detail: codeRequest.purpose.rawValue))
    }
    if let message, !context.server.texts.send(message) {
      throw AccountError(.quotaExceeded, "Too many messages are waiting to be sent. Try again later.")
    }
    return new.text
  }

  /// Returns true when a code is the one of a ticket.
  ///
  /// - Parameter sessionInfo: the text that the ticket was found by.
  func isRight(_ code: String, _ sessionInfo: String, for ticket: Ticket) -> Bool {
    guard let kept = ticket.phoneDetails?["code"]?.string.flatMap({ Digest(hex: $0) }) else { return false }
    return ConstantTime.equal(kept.bytes, Self.hash(code, sessionInfo).bytes)
  }

  private static func hash(_ code: String, _ sessionInfo: String) -> Digest {
    Digest(sha256: Array(sessionInfo.utf8) + [0] + Array(code.utf8))
  }

  /// Returns six digits with equal probability: the highest four-byte numbers are rejected and drawn again.
  private func generateCode() throws(AccountError) -> String {
    try context.secrets.draw { (random) throws(RandomnessError) -> String in
      let count: UInt32 = 1_000_000
      let cutoff = UInt32.max - UInt32.max % count
      while true {
        let number = try random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard number < cutoff else { continue }
        let digits = String(number % count)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
      }
    }
  }

  private func message(_ code: String, to number: String) throws(AccountError) -> SMSMessage {
    guard context.server.texts.canSend else {
      throw AccountError(
        .operationNotAllowed, "This server cannot send text messages. Configure phone in the file of --auth-config.")
    }
    let app = PlainText.line(context.configuration.mail.appName, lengthMax: 64)
    let text = "\(code) is your verification code for \(app)."
    guard let message = SMSMessage(kind: .code, to: number, text: text) else {
      throw AccountError(.invalidPhoneNumber, "Invalid format.")
    }
    return message
  }

  private func requireAdmitted(_ number: String, _ request: PhoneRequest) async throws(AccountError) {
    guard let country = CallingCodes.country(of: number) else {
      throw AccountError(.invalidPhoneNumber, "The number does not belong to a known country.")
    }
    let settings = context.configuration.phone
    guard settings.regions?.admits(number) == true, premium.admits(number, settings, now: request.now) else {
      throw AccountError(
        .operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
    }
    try await captcha.require(
      request.captcha, showsAttestation: request.showsAttestation, client: request.client, now: request.now)
    RequestRetryTracker.current?.noteChange()
    switch context.messageThrottle.admitMessage(
      to: number, country: country, address: request.client.address, now: request.now)
    {
    case nil: return
    case .number?: throw AccountError(.tooManyAttempts, "Too many messages to this number. Try again later.")
    case .network?: throw AccountError(.tooManyAttempts, "Too many messages from your network. Try again later.")
    case .country?, .all?: throw AccountError(.quotaExceeded, "Too many messages. Try again later.")
    }
  }
}

/// A request that may cause a message.
package struct PhoneRequest: Sendable, Redacted {
  /// The token of a captcha's widget; nil for none.
  package let captcha: String?
  /// The requesting client.
  package let client: ClientInfo
  /// The time when the request came.
  package let now: Instant
  /// True when the request comes from the machine of an emulator: codes are shown to it, and none is sent.
  package let isEmulated: Bool
  /// True when the request has an attestation of the app's operating system: a receipt of a push, an integrity token.
  package var showsAttestation = false

  /// Creates the value from a request.
  package init(captcha: String?, client: ClientInfo, now: Instant, isEmulated: Bool) {
    self.captcha = captcha
    self.client = client
    self.now = now
    self.isEmulated = isEmulated
  }
}

extension Ticket {
  /// The further data of a phone code's ticket.
  var phoneDetails: JSON? { phoneNumber == nil ? nil : details.flatMap { JSON(parsing: $0.utf8) } }
}
