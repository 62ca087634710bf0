import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of on-disconnect writes on a live server.
@Suite struct OnDisconnectTests {
  // Without network conditions that cut: the server executes the write when the proxy cuts the connection.
  @Test(
    "values, priorities, updates and removals are made when the connection ends, in each form", .timeLimit(.minutes(1)),
    arguments: NetworkCondition.reliable)
  func done(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other, lines) = (fixture.ref(), fixture.ref(), Lines())
      try await ref.setValue(["gone": 1, "gone2": 1, "gone3": 1, "kept": 1])
      try await ref.child("a").onDisconnectSetValue("bye")
      try await ref.child("b").onDisconnectSetValue("bye", andPriority: 2)
      try await ref.onDisconnectUpdateChildValues(["c/d": true])
      try await ref.child("gone").onDisconnectRemoveValue()
      plainly {
        ref.child("e").onDisconnectSetValue(1)
        ref.child("f").onDisconnectSetValue(1, andPriority: 1)
        ref.child("gone2").onDisconnectRemoveValue()
        ref.onDisconnectUpdateChildValues(["g": 1])
        ref.child("h").onDisconnectSetValue(1) { error, _ in lines.add("h \(error == nil)") }
        ref.child("i").onDisconnectSetValue(1, andPriority: 1) { error, _ in lines.add("i \(error == nil)") }
        ref.child("gone3").onDisconnectRemoveValue { error, _ in lines.add("gone3 \(error == nil)") }
        ref.onDisconnectUpdateChildValues(["j": 1]) { error, ref in lines.add("j \(error == nil)") }
      }
      #expect(await lines.wait(for: 4) == ["h true", "i true", "gone3 true", "j true"])
      let expected =
        #"{"a":"bye","b":{".value":"bye",".priority":2},"c":{"d":true},"e":1,"f":{".value":1,".priority":1},"g":1,"h":1,"#
        + #""i":{".value":1,".priority":1},"j":1,"kept":1}"#
      ref.database.goOffline()
      // Each write is separate, so an event may show only some of them.
      for try await snapshot in other.values where json(snapshot) == expected { break }
    }
  }

  // Without network conditions that cut: the server executes the write when the proxy cuts the connection.
  @Test("a cancelled onDisconnect operation is not made, in each form", arguments: NetworkCondition.reliable)
  func cancelled(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other, lines) = (fixture.ref(), fixture.ref(), Lines())
      for key in ["a", "b", "c"] { try await ref.child(key).onDisconnectSetValue(1) }
      try await ref.child("last").onDisconnectSetValue(1)
      try await ref.child("a").cancelDisconnectOperations()
      plainly { ref.child("b").cancelDisconnectOperations() }
      ref.child("c").cancelDisconnectOperations { error, _ in lines.add("\(error == nil)") }
      #expect(await lines.wait(for: 1) == ["true"])
      ref.database.goOffline()
      for try await snapshot in other.values where snapshot.exists() {
        #expect(json(snapshot) == #"{"last":1}"#)
        break
      }
    }
  }

  @Test("a refusal is reported", arguments: NetworkCondition.all)
  func refused(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.database().reference(withPath: "closed")
      await #expect(throws: DatabaseError.self) { try await ref.onDisconnectSetValue(1) }
      await #expect(throws: DatabaseArgumentError.self) { try await ref.onDisconnectSetValue(Date()) }
    }
  }
}
