import HearthTree
import Testing

@testable import HearthSync

@Suite struct TransactionTests {
  @Test("the first run has no value; a stale base makes the function run again on the server's value")
  func commits() {
    let story = CoreStory()
    story.listen("n")
    _ = story.take()
    story.count("n")
    #expect(story.take() == ["value(1) /n 1", "> p /n 1 if unchanged"])
    story.push("n", "4")
    _ = story.take()
    story.reply("p", "datastale")
    #expect(story.take() == ["value(1) /n 5", "> p /n 5 if unchanged"])
    story.push("n", "5")
    story.reply("p")
    #expect(story.take() == ["done(1) committed 5"])
  }

  @Test("a function that aborts in its first run sends no request, and its listener ends")
  func aborts() {
    let story = CoreStory()
    story.transaction("n") { _ in nil }
    #expect(story.take() == ["done(1) aborted null", "> q /n", "> n /n"])
  }

  @Test("without a listener of the app the location is listened to until the end")
  func watches() {
    let story = CoreStory()
    story.count("n")
    #expect(story.take() == ["> q /n", "> p /n 1 if unchanged"])
    story.push("n", "1")
    story.reply("p")
    #expect(story.take() == ["done(1) committed 1", "> n /n"])
  }

  @Test("transactions at a location and below share one write, and end in order")
  func merges() {
    let story = CoreStory.listening(to: "a", #"{"n":1,"k":7}"#)
    story.lose()
    _ = story.take()
    story.count("a/n")
    story.transaction("a") { node in WriteValue(node.replacing("m", with: Node(.int(2)))) }
    story.connect()
    let lines = story.take()
    #expect(lines.contains(#"> p /a/n 2 if unchanged"#))
    story.push("a/n", "2")
    story.reply("p")
    #expect(story.take() == ["done(1) committed 2", #"> p /a {"k":7,"m":2,"n":2} if unchanged"#])
  }

  @Test("a parent's transaction that waits for a child's is sent with it in one write")
  func mergesInOne() {
    let story = CoreStory.listening(to: "a", #"{"n":1}"#)
    story.count("a/n")
    story.transaction("a") { node in WriteValue(node.replacing("m", with: Node(.int(2)))) }
    story.count("a/n")
    _ = story.take()
    story.push("a/n", "5")
    story.reply("p", "datastale")
    #expect(story.take().last == #"> p /a {"m":2,"n":7} if unchanged"#)
    story.push("a", #"{"m":2,"n":7}"#)
    story.reply("p")
    #expect(
      story.take().suffix(3) == [
        "done(1) committed 6", #"done(2) committed {"m":2,"n":6}"#, "done(3) committed 7",
      ])
  }

  @Test("after 25 attempts a transaction fails, with the last input")
  func gaveUp() {
    let story = CoreStory.listening(to: "n", "0")
    story.count("n")
    var sends = 1
    for i in 1...25 {
      story.push("n", "\(i * 10)")
      _ = story.take()
      story.reply("p", "datastale")
      sends += story.lines.count { $0.hasPrefix("> p") }
    }
    #expect(sends == 25)
    #expect(story.take() == ["value(1) /n 250", "done(1) maxretry 240"])
  }

  @Test("a base that the server calls stale although it has not changed is retried later, or after a push")
  func waits() {
    let story = CoreStory.listening(to: "n", "0")
    story.count("n")
    _ = story.take()
    story.reply("p", "datastale")
    #expect(story.take() == [])
    #expect(story.core.nextDeadlineMilliseconds == story.now + 50)
    story.now += 50
    story.note(story.core.timePassed())
    #expect(story.take() == ["> p /n 1 if unchanged"])
    story.reply("p", "datastale")
    #expect(story.core.nextDeadlineMilliseconds == story.now + 100)
    story.push("n", "3")
    #expect(story.take() == ["value(1) /n 4", "> p /n 4 if unchanged"])
  }

  @Test("a set over a sent transaction takes effect only when the server refuses the transaction")
  func overwritten() {
    for (status, outcome) in [("ok", "done(1) committed 1"), ("datastale", "done(1) set -")] {
      let story = CoreStory()
      story.count("n")
      let sent = story.requests["p"]!
      story.set("n", "9")
      _ = story.take()
      story.note(story.core.reply(sent, SyncReply(status: status)))
      #expect(story.take().contains(outcome), "\(status)")
    }
  }

  @Test("a set over an unsent transaction ends it; one beside it does not")
  func overwrittenBeforeSent() {
    let story = CoreStory()
    story.count("a/n")
    story.count("a/n")
    _ = story.take()
    story.set("a/m", "1")
    #expect(!story.take().contains { $0.hasPrefix("done") })
    story.set("a", "1")
    #expect(story.take().contains("done(2) set -"))
  }

  @Test("a sent transaction ends with disconnect when the connection is lost and is not sent again; a pending one is")
  func disconnects() {
    let story = CoreStory.listening(to: "n", "1")
    story.count("n")
    _ = story.take()
    story.lose()
    #expect(story.take() == ["value(1) /n 1", "done(1) disconnect -"])
    story.count("n")
    #expect(story.take() == ["value(1) /n 2"])
    story.connect()
    #expect(story.take() == ["> q /n with hash", "> p /n 2 if unchanged"])
  }

  @Test("a refusal reverts the transaction, then completes it with the server's status")
  func denied() {
    let story = CoreStory.listening(to: "n", "1")
    story.count("n")
    _ = story.take()
    story.reply("p", "permission_denied")
    #expect(story.take() == ["value(1) /n 1", "done(1) permission_denied -"])
  }

  @Test("without local events only the result is shown")
  func hidden() {
    let story = CoreStory.listening(to: "n", "1")
    story.transaction("n", showsLocally: false) { _ in WriteValue(Node(.int(5))) }
    story.set("other", "1")
    #expect(story.take() == ["> p /n 5 if unchanged", "> p /other 1"])
    story.push("n", "5")
    #expect(story.take() == ["value(1) /n 5"])
  }

  @Test("a later transaction runs again on the output of the one before, and not without it")
  func follows() {
    let story = CoreStory.listening(to: "n", "1")
    story.count("n")
    story.count("n")
    _ = story.take()
    story.push("n", "2")
    #expect(!story.take().contains { $0.hasPrefix("value") })
    story.reply("p")
    #expect(story.take() == ["done(1) committed 2", "> p /n 3 if unchanged"])
  }

  @Test("a transaction's function sees a pending update above its location")
  func seesMergesAbove() {
    let story = CoreStory(isConnected: false)
    story.update("", [("a/b", "1")])
    var seen: [String] = []
    story.transaction("a") { node in
      seen.append(CoreStory.text(node))
      return nil
    }
    #expect(seen == [#"{"b":1}"#])
  }

  @Test("when a parent's transaction fails, writes that waited behind it are sent")
  func waitsNoLonger() {
    let story = CoreStory()
    story.count("a/c")
    story.transaction("a") { WriteValue($0.replacing("m", with: Node(.int(2)))) }
    story.count("a/d")
    _ = story.take()
    story.set("a/b", "1")
    let lines = story.take()
    #expect(lines.contains("done(2) set -"))
    #expect(lines.contains("> p /a/d 1 if unchanged"))
  }

  @Test("a thousand offline transactions of one location take effect in order")
  func thousand() {
    let story = CoreStory(isConnected: false)
    for _ in 0..<1_000 { story.count("n") }
    _ = story.take()
    story.connect()
    story.push("n", "5")
    _ = story.take()
    story.reply("p", "datastale")
    #expect(story.take().last == "> p /n 1005 if unchanged")
    story.push("n", "1005")
    story.reply("p")
    #expect(story.take().filter { $0.contains("committed") }.count == 1_000)
  }
}
