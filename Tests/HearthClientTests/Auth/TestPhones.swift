import HearthAccounts
import HearthPlugin
import HearthServer
import HearthTestKit
import Synchronization
import Testing

/// Phones that keep their messages.
final class TestPhones: SMSSender {
  private let kept = Mutex<[SMSMessage]>([])

  /// The number of messages.
  var count: Int { kept.withLock { $0.count } }

  func send(_ message: SMSMessage) async throws { kept.withLock { $0.append(message) } }

  /// Sends the codes of a server to these phones, for sign-ins and second factors.
  func connect(to options: inout HearthServer.Options) {
    options.plugins.smsSender = self
    options.accounts.signIn = [PluginChoice("phone")]
    options.accounts.phone.secondFactor = true
    options.accounts.phone.regions = .only(["DE"])
    options.accounts.limits.messagesPerNumberPerMinute = 100
  }

  /// Returns the code of the newest message to a number, once there are `count` messages.
  func code(_ number: String, count: Int) async throws -> String {
    try #require(await Polling.until { self.count >= count })
    let message = try #require(kept.withLock { $0.last { $0.to == number } })
    return String(message.text.prefix(6))
  }
}
