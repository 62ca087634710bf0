import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of observers with a live server.
@Suite struct ObserveTests {
  @Test("five types of events, in their order, with the previous sibling's key", arguments: NetworkCondition.all)
  func events(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(["a": 1, "b": 2, "c": 3])
      for (name, type) in [("added", DataEventType.childAdded), ("changed", .childChanged), ("moved", .childMoved)] {
        ref.queryOrderedByValue().observe(type) { (snapshot: DataSnapshot, key: String?) in
          lines.add("\(name) \(snapshot.key) after \(key ?? "-")")
        }
      }
      ref.queryOrderedByValue().observe(.childRemoved) { lines.add("removed \($0.key)") }
      ref.queryOrderedByValue().observe(.value) {
        lines.add("value " + $0.childSnapshots.map(\.key).joined())
      }
      #expect(await lines.wait(for: 4) == ["added a after -", "added b after a", "added c after b", "value abc"])
      _ = lines.take()
      try await ref.updateChildValues(["a": 4, "b": NSNull(), "d": 0])
      #expect(
        lines.all == ["removed b", "added d after -", "moved a after c", "changed a after c", "value dca"])
    }
  }

  @Test("writes of another client are received", arguments: NetworkCondition.all)
  func remote(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other, lines) = (fixture.ref(), fixture.ref(), Lines())
      ref.observe(.value) { lines.add(json($0)) }
      #expect(await lines.wait(for: 1) == ["null"])
      try await other.setValue(7)
      #expect(await lines.wait(for: 2) == ["null", "7"])
    }
  }

  @Test(
    "no event is delivered after a removal by handle, of all, or through a query's reference",
    arguments: NetworkCondition.all)
  func removal(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(["a": 1])
      let first = ref.observe(.value) { _ in lines.add("first") }
      let second = ref.queryLimited(toLast: 1).observe(.value) { _ in lines.add("second") }
      ref.queryOrderedByKey().observe(.value) { _ in lines.add("third") }
      _ = await lines.wait(for: 3)
      ref.child("a").removeObserver(withHandle: first)  // not there
      ref.removeObserver(withHandle: second)  // found through the reference
      _ = lines.take()
      try await ref.child("b").setValue(1)
      #expect(Set(lines.take()) == ["first", "third"])
      ref.queryOrderedByKey().removeAllObservers()
      try await ref.child("b").setValue(2)
      #expect(lines.take() == ["first"])
      ref.removeAllObservers()
      ref.removeObserver(withHandle: first)
      try await ref.child("b").setValue(3)
      #expect(lines.take() == [])
    }
  }

  @Test("an observer may remove itself in its own block", arguments: NetworkCondition.all)
  func removalInside(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      ref.observe(.value) { _ in
        lines.add("once")
        ref.removeAllObservers()
      }
      _ = await lines.wait(for: 1)
      try await ref.setValue(1)
      try await ref.setValue(2)
      #expect(lines.all == ["once"])
    }
  }

  @Test(
    "a denial calls the cancel block once, and the next observer sends the listen again",
    arguments: NetworkCondition.all)
  func denial(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.database().reference(withPath: "closed"), Lines())
      for _ in 0..<2 {
        ref.observe(.value) { _ in
          lines.add("value")
        } withCancel: {
          lines.add($0.localizedDescription)
        }
        ref.observeSingleEvent(of: .childAdded) { _ in
          lines.add("value")
        } withCancel: {
          lines.add("once " + $0.localizedDescription)
        }
        _ = await lines.wait(for: 2)
        #expect(Set(lines.take()) == ["Permission Denied", "once Permission Denied"])
      }
    }
  }

  @Test("single events are delivered once, in each form", arguments: NetworkCondition.all)
  func single(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(["a": 1, "b": 2])
      ref.observeSingleEvent(of: .value) { lines.add("value \(json($0))") }
      ref.observeSingleEvent(of: .childAdded) { (snapshot: DataSnapshot, key: String?) in
        lines.add("added \(snapshot.key) \(key ?? "-")")
      }
      _ = await lines.wait(for: 2)
      try await ref.child("c").setValue(3)
      #expect(Set(lines.all) == [#"value {"a":1,"b":2}"#, "added a -"])
      #expect(await json(ref.observeSingleEvent(of: .value)) == #"{"a":1,"b":2,"c":3}"#)
      let (snapshot, key) = await ref.queryLimited(toLast: 1).observeSingleEventAndPreviousSiblingKey(of: .childAdded)
      #expect(snapshot.key == "c")
      #expect(key == nil)
      await #expect(throws: DatabaseError.self) { try await ref.root.child("closed").singleEvent(of: .value) }
    }
  }

  @Test("a cancelled task stops waiting", arguments: NetworkCondition.all)
  func cancelledTask(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.ref()
      let task = Task { try await ref.singleEvent(of: .childAdded) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      let quiet = Task { await ref.observeSingleEvent(of: .childAdded) }
      quiet.cancel()
      #expect(await quiet.value.exists() == false)
    }
  }

  @Test("data kept in sync is available at once", arguments: NetworkCondition.all)
  func keptSynced(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other, lines) = (fixture.ref(), fixture.ref(), Lines())
      ref.keepSynced(true)
      try await other.setValue(5)
      ref.observe(.value) { lines.add(json($0)) }
      while await lines.wait(for: 1).last != "5" { _ = lines.take() }
      ref.removeAllObservers()
      ref.database.goOffline()
      #expect(try await json(ref.singleEvent(of: .value).snapshot) == "5")
      ref.keepSynced(false)
    }
  }
}
