import Dispatch
import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of the queue on which blocks are called, when the callback queue is not the main queue.
@Suite struct CallbackTests {
  /// Returns true on the main queue, which on Linux may run on another thread than the main one.
  private static let isMain: @Sendable () -> Bool = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return { DispatchQueue.getSpecific(key: key) == true }
  }()

  /// State of the main actor that blocks change.
  @MainActor private final class Room {
    private var calls = 0

    /// Registers every kind of block; each adds a line that states whether it was called on the main queue.
    func enter(_ ref: DatabaseReference, _ lines: Lines) throws {
      func note(_ name: String) {
        calls += 1
        lines.add("\(name) \(CallbackTests.isMain())")
      }
      ref.observe(.value) { _ in note("value") }
      ref.observeSingleEvent(of: .value, andPreviousSiblingKeyWith: { _, _ in note("single") })
      ref.root.child("closed").observe(.value, with: { _ in note("never") }, withCancel: { _ in note("cancel") })
      ref.getData { _, _ in note("get") }
      ref.child("a").setValue(1) { _, _ in note("set") }
      try ref.child("b").setValue(from: 1) { _ in note("encoded") }
      ref.child("c").onDisconnectRemoveValue { _, _ in note("later") }
      ref.child("d").runTransactionBlock { _ in
        TransactionResult.abort()
      } andCompletionBlock: { _, _, _ in
        note("transaction")
      }
    }
  }

  @Test("a block of the main actor is called on the main queue for every callback queue")
  func mainActor() async throws {
    try await DatabaseFixture.with { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      let room = Room()
      try await room.enter(ref, lines)
      let names = ["cancel", "encoded", "get", "later", "set", "single", "transaction"]
      await lines.wait { lines in Set(names).isSubset(of: lines.map { String($0.prefix { $0 != " " }) }) }
      #expect(lines.all.allSatisfy { $0.hasSuffix(" true") }, "\(lines.all)")
      #expect(lines.all.contains("value true"))
    }
  }

  @Test("a block of another actor is called on that actor, in order, and the events before the completion")
  func otherActor() async throws {
    actor Log {
      var seen: [String] = []
      private var waiting: CheckedContinuation<[String], Never>?

      func follow(_ ref: DatabaseReference) {
        ref.observe(.childAdded) { snapshot in
          self.preconditionIsolated()
          self.seen.append(snapshot.key)
        }
        for i in 0..<50 { ref.child("k\(100 + i)").setValue(i) }
        ref.child("last").setValue(1) { _, _ in
          self.preconditionIsolated()
          self.waiting?.resume(returning: self.seen)
          self.waiting = nil
        }
      }

      func outcome(_ ref: DatabaseReference) async -> [String] {
        await withCheckedContinuation { continuation in
          waiting = continuation
          follow(ref)
        }
      }
    }
    try await DatabaseFixture.with { fixture in
      await #expect(processExitsWith: .success) { [url = fixture.url as String] in
        let database = Database.database(url: url)
        database.callbackQueue = DispatchQueue(label: "test")
        let seen = await Log().outcome(database.reference(withPath: "open"))
        exit(seen == (0..<50).map { "k\(100 + $0)" } + ["last"] ? 0 : 1)
      }
    }
  }

  @Test("a block that belongs to no actor, or is @Sendable, is called on the callback queue")
  func noActor() async throws {
    @MainActor func observe(_ ref: DatabaseReference, _ block: @escaping @Sendable () -> Void) {
      ref.observe(.value) { @Sendable _ in block() }
    }
    try await DatabaseFixture.with { fixture in
      let (queue, key, lines) = (DispatchQueue(label: "app"), DispatchSpecificKey<Bool>(), Lines())
      queue.setSpecific(key: key, value: true)
      let ref = fixture.database { $0.callbackQueue = queue }.reference(withPath: "open")
      let note = { @Sendable () -> Void in lines.add("\(DispatchQueue.getSpecific(key: key) == true)") }
      ref.observe(.value) { _ in note() }
      await observe(ref, note)
      #expect(await lines.wait(for: 2) == ["true", "true"])
    }
  }

  @Test("listeners and completions of accounts that belong to the main actor are called on the main queue")
  func accounts() async throws {
    @MainActor final class Model {
      private var calls = 0

      func start(_ auth: Auth, _ lines: Lines) {
        func note(_ name: String) {
          calls += 1
          lines.add("\(name) \(CallbackTests.isMain())")
        }
        auth.addStateDidChangeListener { _, user in note(user == nil ? "out" : "in") }
        auth.signInAnonymously { _, _ in
          note("signed in")
          auth.currentUser?.reload { _ in note("reloaded") }
        }
      }
    }
    try await AuthFixture.with { fixture in
      fixture.auth.callbackQueue = DispatchQueue(label: "app")
      let (model, lines) = (Model(), Lines())
      await model.start(fixture.auth, lines)
      #expect(await lines.wait(for: 4) == ["out true", "in true", "signed in true", "reloaded true"])
    }
  }
}
