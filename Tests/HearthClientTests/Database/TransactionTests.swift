import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of transactions with a live server.
@Suite struct TransactionTests {
  private static func increment(_ data: MutableData) -> TransactionResult {
    data.value = (data.value as? Int ?? 0) + 1
    return .success(withValue: data)
  }

  @Test("increments of two clients at once lose no step", arguments: NetworkCondition.all)
  func contention(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let refs = [fixture.ref(), fixture.ref()]
      var (committed, unknown) = (0, 0)
      try await withThrowingTaskGroup(of: Bool?.self) { group in
        for ref in refs {
          for _ in 0..<10 {
            group.addTask {
              do {
                return try await ref.runTransactionBlock(Self.increment).0
              } catch let error as DatabaseError where network.isFaulty && error.status == "disconnect" {
                return nil
              }
            }
          }
        }
        for try await isCommitted in group {
          #expect(isCommitted != false)
          if isCommitted == nil { unknown += 1 } else { committed += 1 }
        }
      }
      let sum = try await fixture.ref().getData().value as? Int ?? 0
      // No increment is made twice, including those with an unknown outcome.
      #expect(committed + unknown == 20 && sum >= committed && sum <= 20)
    }
  }

  // Without network conditions that cut: a transaction whose answer is lost ends with `disconnect`, so the count is
  // unknown.
  @Test("the three forms of a transaction, and aborting it", arguments: NetworkCondition.reliable)
  func forms(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      plainly { ref.runTransactionBlock(Self.increment) }
      ref.runTransactionBlock(Self.increment) { error, isCommitted, snapshot in
        lines.add("\(error == nil) \(isCommitted) \(json(snapshot))")
      }
      ref.runTransactionBlock(
        { data in data.value as? Int == nil ? .success(withValue: data) : .abort() },
        andCompletionBlock: { error, isCommitted, snapshot in
          lines.add("\(error == nil) \(isCommitted) \(json(snapshot))")
        }, withLocalEvents: true)
      #expect(Set(await lines.wait(for: 2)) == ["true true 2", "true false 2"])
      let (isCommitted, snapshot) = try await ref.runTransactionBlock(Self.increment)
      #expect(isCommitted)
      #expect(snapshot.value as? Int == 3)
      #expect(snapshot.ref == ref)
    }
  }

  // Without network conditions that cut: a transaction whose answer is lost ends with `disconnect`, and its result
  // arrives as an event of the server.
  @Test("without local events observers see only the outcome", arguments: NetworkCondition.reliable)
  func withoutLocalEvents(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(5)
      ref.observe(.value) { lines.add(json($0)) }
      await lines.wait(for: 1)
      ref.database.goOffline()
      ref.runTransactionBlock(
        Self.increment, andCompletionBlock: { _, isCommitted, _ in lines.add("done \(isCommitted)") },
        withLocalEvents: false)
      // A local answer that follows the transaction's first run.
      #expect(try await json(ref.root.child(".info/connected").singleEvent(of: .value).snapshot) == "false")
      #expect(lines.all == ["5"])
      ref.database.goOnline()
      #expect(Set(await lines.wait(for: 3)) == ["5", "6", "done true"])
    }
  }

  @Test("a refusal is reported, and the local value is reverted", arguments: NetworkCondition.all)
  func refused(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.database().reference(withPath: "closed")
      var error: DatabaseError?
      repeat {
        error = await #expect(throws: DatabaseError.self) { try await ref.runTransactionBlock(Self.increment) }
      } while error?.status == "disconnect" && network.isFaulty
      #expect(error?.code == 1)
    }
  }

  @Test("a write at its location ends a transaction", arguments: NetworkCondition.all)
  func overwritten(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.child("held").setValue(1)
      plainly {
        ref.runTransactionBlock { data in
          data.value = 1
          return .success(withValue: data)
        } andCompletionBlock: { error, isCommitted, _ in
          lines.add("\((error as? DatabaseError)?.status ?? "ok") \(isCommitted)")
        }
        ref.setValue(2) { error, _ in lines.add("set \(error == nil)") }
      }
      // The transaction may have been sent already, and then it is counted.
      let all = await lines.wait(for: 2)
      #expect(all.contains("set true"))
      #expect(
        all.contains("set false") || all.contains("ok true") || network.isFaulty && all.contains("disconnect false"))
      #expect(try await ref.getData().value as? Int == 2)
    }
  }
}
