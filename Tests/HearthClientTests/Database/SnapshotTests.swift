import Foundation
import HearthTree
import Testing

@testable import HearthClient

/// Tests of the data in snapshots and in transactions.
@Suite struct SnapshotTests {
  private func node(_ value: Any?) throws -> Node { try ValueReader.value(value, at: .root, from: "f").node }

  private func withRef(_ body: (DatabaseReference) throws -> Void) rethrows {
    let database = Database.database(
      app: .appOrDefault(), url: "http://127.0.0.1:1/?ns=s", credentials: FixedCredential(nil))
    defer { database.shutDown() }
    try body(database.reference(withPath: "open"))
  }

  @Test("every member of a snapshot")
  func snapshot() throws {
    try withRef { ref in
      let snapshot = DataSnapshot(
        ref,
        try node(
          ["a": ["x": 1], "b": [".value": 2, ".priority": "p"] as [String: Any], ".priority": 3] as [String: Any]))
      #expect(snapshot.key == "open")
      #expect(snapshot.ref == ref)
      #expect(snapshot.exists())
      #expect(snapshot.hasChildren())
      #expect(snapshot.childrenCount == 2)
      #expect(snapshot.hasChild("a/x"))
      #expect(!snapshot.hasChild("a/y"))
      #expect(snapshot.childSnapshot(forPath: "a/x").value as? Int == 1)
      #expect(snapshot.childSnapshot(forPath: "a/x").ref.url == ref.child("a/x").url)
      #expect(!snapshot.childSnapshot(forPath: "z").exists())
      #expect(snapshot.childSnapshot(forPath: "z").value is NSNull)
      #expect(snapshot.priority as? Int == 3)
      #expect(snapshot.childSnapshot(forPath: "b").priority as? String == "p")
      #expect(snapshot.childSnapshot(forPath: "a").priority is NSNull)
      #expect((snapshot.value as? [String: Any])?["b"] as? Int == 2)
      #expect((snapshot.valueInExportFormat() as? [String: Any])?[".priority"] as? Int == 3)
      #expect(DataSnapshot(ref.root, .empty).key == "")
    }
  }

  @Test("children come in the query's order, in each kind of iteration")
  func children() throws {
    try withRef { ref in
      let snapshot = DataSnapshot(ref, try node(["a": 3, "b": 1, "c": 2]), order: .value)
      #expect((snapshot.children.allObjects as? [DataSnapshot])?.map(\.key) == ["b", "c", "a"])
      #expect(snapshot.childSnapshots.map(\.key) == ["b", "c", "a"])
      var keys: [String] = []
      for child in snapshot.children { keys.append((child as? DataSnapshot)?.key ?? "") }
      let enumerator = snapshot.children
      while let child = enumerator.nextObject() as? DataSnapshot { keys.append(child.key) }
      #expect(keys == ["b", "c", "a", "b", "c", "a"])
    }
  }

  @Test("a snapshot is decoded as a value of a type")
  func decoding() throws {
    try withRef { ref in
      let object = try DataSnapshot(ref, try node(["a": 1])).data(as: [String: Int].self)
      #expect(object == ["a": 1])
      let nothing = try DataSnapshot(ref, .empty).data(as: Int?.self)
      #expect(nothing == nil)
      #expect(throws: DecodingError.self) { try DataSnapshot(ref, .empty).data(as: Int.self) }
    }
  }

  @Test("a transaction's data changes as a whole and in parts")
  func mutableData() throws {
    let data = MutableData(try node(["a": 1, "b": ["x": true]] as [String: Any]), at: Path("open"))
    #expect(data.key == "open")
    #expect(data.hasChildren())
    #expect(data.childrenCount == 2)
    #expect(data.hasChild(atPath: "b/x"))
    let part = data.childData(byAppendingPath: "b")
    #expect(part.key == "b")
    part.value = ["y": ServerValue.increment(2)]
    #expect(((data.value as? [String: Any])?["b"] as? [String: Any])?["y"] != nil)
    part.priority = 7
    #expect(part.priority as? Int == 7)
    data.childData(byAppendingPath: "c/d").value = "new"
    #expect((data.children.allObjects as? [MutableData])?.compactMap(\.key) == ["a", "c", "b"])
    #expect(
      String(decoding: data.result.resolved(existing: .empty, nowMilliseconds: 0).json(), as: UTF8.self)
        == #"{"a":1,"b":{"y":2,".priority":7},"c":{"d":"new"}}"#)
    data.childData(byAppendingPath: "b").value = nil
    #expect(data.result.deferred.isEmpty)
    data.value = 5
    #expect(data.value as? Int == 5)
    #expect(data.priority is NSNull)
    #expect(throws: DatabaseArgumentError.self) { try data.setValue(Date()) }
    #expect(throws: DatabaseArgumentError.self) { try data.setPriority(true) }
  }
}
