import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of asynchronous sequences with a live server.
@Suite struct SequenceTests {
  /// Returns the number of the client core's observers after all earlier requests.
  private func listenCount(_ database: Database) async -> Int {
    await withCheckedContinuation { continuation in
      database.repository.enqueue { continuation.resume(returning: $0.observerCount) }
    }
  }

  @Test("values are delivered until the loop ends, and the observer is removed", arguments: NetworkCondition.all)
  func values(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.ref()
      try await ref.setValue(1)
      var seen: [Int] = []
      for try await snapshot in ref.values {
        let value = snapshot.value as? Int ?? -1
        seen.append(value)
        if value == 3 { break }
        plainly { ref.setValue(value + 1) }
      }
      #expect(seen == [1, 2, 3])
      #expect(await listenCount(ref.database) == 0)
    }
  }

  @Test("a cancelled task removes its observer, while it waits or while it works", arguments: NetworkCondition.all)
  func cancellation(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      let task = Task {
        for try await _ in ref.values { lines.add("value") }
        lines.add("over")
      }
      await lines.wait(for: 1)
      #expect(await listenCount(ref.database) == 1)
      task.cancel()
      try await task.value
      #expect(lines.all == ["value", "over"])
      #expect(await listenCount(ref.database) == 0)
    }
  }

  @Test("a sequence keeps only the latest of the values that are not consumed", arguments: NetworkCondition.all)
  func latest(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.ref()
      var iterator = ref.values.makeAsyncIterator()
      #expect(try await iterator.next()?.exists() == false)
      for i in 1...5 { try await ref.setValue(i) }
      #expect(try await iterator.next()?.value as? Int == 5)
    }
  }

  @Test("values are decoded into a type, and other values are errors", arguments: NetworkCondition.all)
  func typed(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.ref()
      var iterator = ref.values(as: [String: Int].self).makeAsyncIterator()
      #expect(try await iterator.next() == .some(nil))
      try await ref.setValue(["a": 1])
      #expect(try await iterator.next() == ["a": 1])
      try await ref.setValue("x")
      await #expect(throws: DecodingError.self) { _ = try await iterator.next() }
    }
  }

  @Test(
    "events are delivered in order; an overflow ends the loop or drops the oldest, as configured",
    arguments: NetworkCondition.all)
  func events(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.ref()
      try await ref.setValue(["a": 1, "b": 2, "c": 3])
      var seen: [String] = []
      for try await event in ref.events() {
        seen.append("\(event.type) \(event.snapshot.key) \(event.previousKey ?? "-")")
        if seen.count == 3 { plainly { ref.child("a").removeValue() } }
        if event.type == .childRemoved { break }
      }
      #expect(seen == ["childAdded a -", "childAdded b a", "childAdded c b", "childRemoved a -"])
      try await ref.child("a").setValue(1)
      _ = try await ref.singleEvent(of: .value)
      ref.keepSynced(true)
      _ = try await ref.singleEvent(of: .value)
      let failing = ref.events(of: [.childAdded], buffering: .failing(at: 2))
      var iterator = failing.makeAsyncIterator()
      #expect(await listenCount(ref.database) == 0)  // There were three observers, which is one too many.
      #expect(try await iterator.next()?.snapshot.key == "a")
      #expect(try await iterator.next()?.snapshot.key == "b")
      await #expect(throws: DatabaseEventsOverflow.self) { _ = try await iterator.next() }
      var dropping = ref.events(of: [.childAdded], buffering: .droppingOldest(above: 1)).makeAsyncIterator()
      #expect(await listenCount(ref.database) == 1)
      #expect(try await dropping.next()?.snapshot.key == "c")
    }
  }

  @Test("a denial ends the loop with its reason", arguments: NetworkCondition.all)
  func denial(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.database().reference(withPath: "closed")
      let error = await #expect(throws: DatabaseError.self) { for try await _ in ref.values {} }
      #expect(error?.status == "permission_denied")
      await #expect(throws: DatabaseError.self) { for try await _ in ref.events() {} }
    }
  }
}
