import HearthTree
import Testing

@testable import HearthSync

@Suite struct TransactionTests {
  @Test("the first run has no value; a stale base makes the function run again on the server's value")
  func commits() {
    let harness = SyncCoreHarness()
    harness.listen("n")
    _ = harness.take()
    harness.count("n")
    #expect(harness.take() == ["value(1) /n 1", "> p /n 1 if unchanged"])
    harness.push("n", "4")
    _ = harness.take()
    harness.reply("p", "datastale")
    #expect(harness.take() == ["value(1) /n 5", "> p /n 5 if unchanged"])
    harness.push("n", "5")
    harness.reply("p")
    #expect(harness.take() == ["done(1) committed 5"])
  }

  @Test("a function that aborts in its first run sends no request, and its listener ends")
  func aborts() {
    let harness = SyncCoreHarness()
    harness.transaction("n") { _ in nil }
    #expect(harness.take() == ["done(1) aborted null", "> q /n", "> n /n"])
  }

  @Test("without a listener of the app the location is listened to until the end")
  func watches() {
    let harness = SyncCoreHarness()
    harness.count("n")
    #expect(harness.take() == ["> q /n", "> p /n 1 if unchanged"])
    harness.push("n", "1")
    harness.reply("p")
    #expect(harness.take() == ["done(1) committed 1", "> n /n"])
  }

  @Test("transactions at a location and below share one write, and end in order")
  func merges() {
    let harness = SyncCoreHarness.listening(to: "a", #"{"n":1,"k":7}"#)
    harness.lose()
    _ = harness.take()
    harness.count("a/n")
    harness.transaction("a") { node in WriteValue(node.replacing("m", with: Node(.int(2)))) }
    harness.connect()
    let lines = harness.take()
    #expect(lines.contains(#"> p /a/n 2 if unchanged"#))
    harness.push("a/n", "2")
    harness.reply("p")
    #expect(harness.take() == ["done(1) committed 2", #"> p /a {"k":7,"m":2,"n":2} if unchanged"#])
  }

  @Test("a parent's transaction that waits for a child's is sent with it in one write")
  func mergesInOne() {
    let harness = SyncCoreHarness.listening(to: "a", #"{"n":1}"#)
    harness.count("a/n")
    harness.transaction("a") { node in WriteValue(node.replacing("m", with: Node(.int(2)))) }
    harness.count("a/n")
    _ = harness.take()
    harness.push("a/n", "5")
    harness.reply("p", "datastale")
    #expect(harness.take().last == #"> p /a {"m":2,"n":7} if unchanged"#)
    harness.push("a", #"{"m":2,"n":7}"#)
    harness.reply("p")
    #expect(
      harness.take().suffix(3) == [
        "done(1) committed 6", #"done(2) committed {"m":2,"n":6}"#, "done(3) committed 7",
      ])
  }

  @Test("after 25 attempts a transaction fails, with the last input")
  func gaveUp() {
    let harness = SyncCoreHarness.listening(to: "n", "0")
    harness.count("n")
    var sends = 1
    for i in 1...25 {
      harness.push("n", "\(i * 10)")
      _ = harness.take()
      harness.reply("p", "datastale")
      sends += harness.lines.count { $0.hasPrefix("> p") }
    }
    #expect(sends == 25)
    #expect(harness.take() == ["value(1) /n 250", "done(1) maxretry 240"])
  }

  @Test("a base that the server calls stale although it has not changed is retried later, or after a push")
  func waits() {
    let harness = SyncCoreHarness.listening(to: "n", "0")
    harness.count("n")
    _ = harness.take()
    harness.reply("p", "datastale")
    #expect(harness.take() == [])
    #expect(harness.core.nextDeadlineMilliseconds == harness.now + 50)
    harness.now += 50
    harness.note(harness.core.timePassed())
    #expect(harness.take() == ["> p /n 1 if unchanged"])
    harness.reply("p", "datastale")
    #expect(harness.core.nextDeadlineMilliseconds == harness.now + 100)
    harness.push("n", "3")
    #expect(harness.take() == ["value(1) /n 4", "> p /n 4 if unchanged"])
  }

  @Test("a set over a sent transaction takes effect only when the server refuses the transaction")
  func overwritten() {
    for (status, outcome) in [("ok", "done(1) committed 1"), ("datastale", "done(1) set -")] {
      let harness = SyncCoreHarness()
      harness.count("n")
      let sent = harness.requests["p"]!
      harness.set("n", "9")
      _ = harness.take()
      harness.note(harness.core.reply(sent, SyncReply(status: status)))
      #expect(harness.take().contains(outcome), "\(status)")
    }
  }

  @Test("a set over an unsent transaction ends it; one beside it does not")
  func overwrittenBeforeSent() {
    let harness = SyncCoreHarness()
    harness.count("a/n")
    harness.count("a/n")
    _ = harness.take()
    harness.set("a/m", "1")
    #expect(!harness.take().contains { $0.hasPrefix("done") })
    harness.set("a", "1")
    #expect(harness.take().contains("done(2) set -"))
  }

  @Test("a sent transaction ends with disconnect when the connection is lost and is not sent again; a pending one is")
  func disconnects() {
    let harness = SyncCoreHarness.listening(to: "n", "1")
    harness.count("n")
    _ = harness.take()
    harness.lose()
    #expect(harness.take() == ["value(1) /n 1", "done(1) disconnect -"])
    harness.count("n")
    #expect(harness.take() == ["value(1) /n 2"])
    harness.connect()
    #expect(harness.take() == ["> q /n with hash", "> p /n 2 if unchanged"])
  }

  @Test("a refusal reverts the transaction, then completes it with the server's status")
  func denied() {
    let harness = SyncCoreHarness.listening(to: "n", "1")
    harness.count("n")
    _ = harness.take()
    harness.reply("p", "permission_denied")
    #expect(harness.take() == ["value(1) /n 1", "done(1) permission_denied -"])
  }

  @Test("without local events only the result is shown")
  func hidden() {
    let harness = SyncCoreHarness.listening(to: "n", "1")
    harness.transaction("n", showsLocally: false) { _ in WriteValue(Node(.int(5))) }
    harness.set("other", "1")
    #expect(harness.take() == ["> p /n 5 if unchanged", "> p /other 1"])
    harness.push("n", "5")
    #expect(harness.take() == ["value(1) /n 5"])
  }

  @Test("a later transaction runs again on the output of the one before, and not without it")
  func follows() {
    let harness = SyncCoreHarness.listening(to: "n", "1")
    harness.count("n")
    harness.count("n")
    _ = harness.take()
    harness.push("n", "2")
    #expect(!harness.take().contains { $0.hasPrefix("value") })
    harness.reply("p")
    #expect(harness.take() == ["done(1) committed 2", "> p /n 3 if unchanged"])
  }

  @Test("a transaction's function sees a pending update above its location")
  func seesMergesAbove() {
    let harness = SyncCoreHarness(isConnected: false)
    harness.update("", [("a/b", "1")])
    var seen: [String] = []
    harness.transaction("a") { node in
      seen.append(SyncCoreHarness.text(node))
      return nil
    }
    #expect(seen == [#"{"b":1}"#])
  }

  @Test("when a parent's transaction fails, writes that waited behind it are sent")
  func waitsNoLonger() {
    let harness = SyncCoreHarness()
    harness.count("a/c")
    harness.transaction("a") { WriteValue($0.replacing("m", with: Node(.int(2)))) }
    harness.count("a/d")
    _ = harness.take()
    harness.set("a/b", "1")
    let lines = harness.take()
    #expect(lines.contains("done(2) set -"))
    #expect(lines.contains("> p /a/d 1 if unchanged"))
  }

  @Test("a thousand offline transactions of one location take effect in order")
  func thousand() {
    let harness = SyncCoreHarness(isConnected: false)
    for _ in 0..<1_000 { harness.count("n") }
    _ = harness.take()
    harness.connect()
    harness.push("n", "5")
    _ = harness.take()
    harness.reply("p", "datastale")
    #expect(harness.take().last == "> p /n 1005 if unchanged")
    harness.push("n", "1005")
    harness.reply("p")
    #expect(harness.take().filter { $0.contains("committed") }.count == 1_000)
  }
}
