import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of writes in each of their forms, with a live server.
@Suite struct WriteTests {
  @Test("asynchronous forms return when the server has the write", arguments: NetworkCondition.all)
  func asynchronous(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other) = (fixture.ref(), fixture.ref())
      try await ref.setValue(["a": 1, "b": 2.5, "c": true] as [String: Any])
      #expect(try await json(other.getData()) == #"{"a":1,"b":2.5,"c":true}"#)
      try await ref.updateChildValues(["a": NSNull(), "d/e": "x", "b/.priority": 4])
      #expect(try await json(other.getData()) == #"{"b":{".value":2.5,".priority":4},"c":true,"d":{"e":"x"}}"#)
      try await ref.child("c").setValue("z", andPriority: 9)
      try await ref.child("c").setPriority("p")
      #expect(try await json(other.child("c").getData()) == #"{".value":"z",".priority":"p"}"#)
      try await ref.child("d").removeValue()
      #expect(try await json(other.child("d").getData()) == "null")
      let place = try await ref.child("n").setValue(ServerValue.increment(2))
      #expect(place == ref.child("n"))
      try await ref.child("n").setValue(ServerValue.increment(2))
      let sum = try await other.child("n").getData().value as? Int ?? 0
      // A plain write whose answer is lost is sent again.
      #expect(network.isFaulty ? sum >= 4 : sum == 4)
      try await ref.child("t").setValue(ServerValue.timestamp())
      #expect((try await other.child("t").getData().value as? Double ?? 0) > 1e12)
      try await ref.updateChildValues([:])
    }
  }

  @Test("forms with a block call it after the events of the write", arguments: NetworkCondition.all)
  func blocks(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      ref.observe(.value) { lines.add("value \(json($0))") }
      plainly {
        ref.setValue(1) { error, ref in lines.add("set \(error == nil) \(ref.key ?? "")") }
        ref.setValue(2, andPriority: 3) { error, _ in lines.add("priority \(error == nil)") }
        ref.setPriority(4) { error, _ in lines.add("setPriority \(error == nil)") }
        ref.updateChildValues(["a": 1]) { error, _ in lines.add("update \(error == nil)") }
        ref.removeValue { error, _ in lines.add("remove \(error == nil)") }
      }
      let all = await lines.wait(for: 10)
      #expect(
        all.filter { !$0.hasPrefix("value") } == [
          "set true open", "priority true", "setPriority true", "update true", "remove true",
        ])
      #expect(all.filter { $0.hasPrefix("value") }.last == "value null")
      #expect(all.firstIndex(of: "value 1") ?? 99 < all.firstIndex(of: "set true open") ?? 0)
    }
  }

  @Test(
    "writes without a block are visible locally at once, and to other clients later", arguments: NetworkCondition.all)
  func plain(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other) = (fixture.ref(), fixture.ref())
      plainly {
        ref.setValue(["a": 1])
        ref.child("b").setValue(2, andPriority: 1)
        ref.child("b").setPriority(5)
        ref.updateChildValues(["c": 3])
        ref.child("a").removeValue()
      }
      #expect(try await json(ref.singleEvent(of: .value).snapshot) == #"{"b":{".value":2,".priority":5},"c":3}"#)
      try await ref.child("done").setValue(true)
      #expect(try await json(other.getData()) == #"{"b":{".value":2,".priority":5},"c":3,"done":true}"#)
    }
  }

  @Test("values of Codable types, in each form of a write", arguments: NetworkCondition.all)
  func encodable(over network: NetworkCondition) async throws {
    struct Message: Codable, Equatable, Sendable {
      var text: String
      @ServerTimestamp var sent: Date?
    }
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(from: Message(text: "hi", sent: nil))
      let back = try await ref.getData().data(as: Message.self)
      #expect(back.text == "hi")
      #expect(back.sent != nil)
      try plainly { try ref.setValue(from: ["x": 1]) { lines.add("done \($0 == nil)") } }
      #expect(await lines.wait(for: 1) == ["done true"])
      #expect(throws: EncodingError.self) { try ref.setValue(from: Double.nan) }
    }
  }

  @Test("a refusal is reported, and the local value is reverted", arguments: NetworkCondition.all)
  func refused(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let ref = fixture.database().reference(withPath: "closed")
      let error = await #expect(throws: DatabaseError.self) { try await ref.setValue(1) }
      #expect(error?.code == 1)
      #expect(error?.domain == "com.firebase")
      #expect(error?.localizedDescription == "Permission Denied")
      #expect(error?.status == "permission_denied")
      await #expect(throws: DatabaseArgumentError.self) { try await ref.setValue(Date()) }
      await #expect(throws: DatabaseArgumentError.self) {
        try await ref.root.child(".info/x").setValue(1)
      }
    }
  }
}
