import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

@Suite struct PluginMailerTests {
  @Test("a temporary mail failure is retried with doubling delays, a permanent one is not")
  func retries() async throws {
    let loop = try ProcessLoop()
    var setup = PluginSetup(expectation: PluginExpectation(name: "post", version: "1", hooks: [.sendMail]))
    var plan = ProcessPlan(program: "/bin/sh", arguments: [], environment: [:], directory: "/", dataBytesMax: 0)
    setup.deadlineMilliseconds = 20_000
    let hello = #"read -r h; echo '{"hello":{"protocol":1,"name":"post","version":"1","hooks":["sendMail"]}}'"#
    let fail = #"id=${line#*:}; echo "{\"id\":${id%%,*},\"error\":{\"message\":\"to a@b\",\"isTemporary\":$T}}""#
    for (isTemporary, waits) in [("true", [1_000, 2_000, 4_000, 8_000]), ("false", [Int64]())] {
      plan.arguments = ["-c", "T=\(isTemporary); \(hello); while read -r line; do \(fail); done"]
      let runner = ProcessRunner(
        setup, plan, limits: SupervisorLimits(), loop: loop, report: .init(event: { _, _ in }, line: { _, _ in }))
      runner.start()
      let pauses = RecordedPauses()
      let mailer = PluginMailer(
        sending: PluginMessageSender(
          handle: PluginHandle("post", runner, notice: { _ in }), pause: { pauses.add($0) }))
      let message = MailMessage(
        kind: .verifyEmail, to: "a@b", fromName: "", fromAddress: "", subject: "", text: "", html: "")
      await #expect {
        try await mailer.send(message)
      } throws: { !"\($0)".contains("a@b") && "\($0)".contains("post") }
      #expect(pauses.all == waits)
      await runner.stop()
    }
    loop.stop()
  }

  private final class RecordedPauses: Sendable {
    private let list = Mutex<[Int64]>([])
    var all: [Int64] { list.withLock { $0 } }
    func add(_ milliseconds: Int64) { list.withLock { $0.append(milliseconds) } }
  }
}
