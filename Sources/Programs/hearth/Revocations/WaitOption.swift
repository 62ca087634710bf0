import ArgumentParser
import HearthProgram
import HearthTree

/// The option `--wait`: a command that revokes access waits until it is revoked, and prints the receipts.
struct WaitOption: ParsableArguments {
  @Flag(help: "Wait until all listeners that lose access are cancelled, and show the receipts.")
  var wait = false

  @Option(
    help: ArgumentHelp("How long to wait with --wait; then the command exits with 1.", valueName: "seconds"))
  var waitSeconds = 30

  func validate() throws {
    guard (1...600).contains(waitSeconds) else { throw ValidationError("--wait-seconds must be 1 to 600.") }
  }

  /// Does the work and, when requested, waits for the receipts of the revocations that it caused.
  func run(_ admin: Administration, _ work: (Administration) async throws -> Void) async throws {
    guard wait else { return try await work(admin) }
    let caused = CausedRevocations()
    var noting = admin
    noting.revocations = caused
    try await work(noting)
    guard !caused.all.isEmpty else {
      return Output.note("no receipts: no client on \(admin.place) lost access")
    }
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    var isComplete = true
    for revocation in caused.all where try await !show(revocation, admin, until: deadline) { isComplete = false }
    if !isComplete { throw ExitCode.failure }
  }

  /// - Returns: False when a listener was not cancelled in time, or a node did not report on its own ones.
  private func show(
    _ revocation: CausedRevocations.Revocation, _ admin: Administration, until deadline: ContinuousClock.Instant
  ) async throws -> Bool {
    let number = revocation.number
    var request = ReceiptRequest(node: revocation.node, revocation: number, limit: 1_000)
    while true {
      let left = max(0, (deadline - .now).components.seconds)
      request.waitSeconds = min(Int(left), ReceiptRequest.waitSecondsMax)
      let page = try await admin.receipts(request)
      guard page.isComplete || left == 0 else { continue }
      for receipt in page.receipts { ReceiptLine(receipt: receipt).print(admin) }
      if !page.isComplete { Output.note("the receipts of revocation \(number) are not complete yet") }
      if page.receipts.isEmpty { Output.note("\(admin.place) has no receipt of revocation \(number)") }
      return page.isComplete && !page.receipts.isEmpty && page.receipts.allSatisfy { $0["isComplete"]?.bool != false }
    }
  }
}
