import Foundation
import HearthTestKit
import LiveServerKit
import Testing

@testable import HearthClientLegacy

extension LegacyTests {
  @Suite struct LegacyDatabaseTests {
    @Test("locations: paths, keys, parents, the root, URLs and new children", arguments: NetworkCondition.all)
    func places(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref.childByAppendingPath("users/fred")
        #expect(ref.key == "fred" && ref.parent?.key == "users" && ref.root.key == nil && ref.root.parent == nil)
        #expect(ref.description.hasPrefix(fixture.route.address + "/users/fred"))
        #expect(Firebase(url: ref.description).description == ref.description && ref.ref.description == ref.description)
        let (a, b) = (ref.childByAutoId(), ref.childByAutoId())
        let keys = [a, b].compactMap { $0.key }
        #expect(keys.count == 2 && keys == keys.sorted() && a.parent?.key == "fred")
        #expect(ref.app === fixture.ref.app && !Firebase.sdkVersion().isEmpty)
        #expect(FEventType.ChildMoved.rawValue == 3 && FEventType(rawValue: 4) == .Value)
      }
    }

    @Test(
      "values and priorities are set, changed and removed, and their blocks are called", arguments: NetworkCondition.all
    )
    func writes(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref.childByAppendingPath("a")
        func written(_ work: (@escaping @Sendable (NSError?) -> Void) -> Void) async -> Int? {
          await called(work)?.code
        }
        #expect(
          await written { done in ref.setValue(["x": 1], withCompletionBlock: { error, _ in done(error) }) } == nil)
        #expect(
          await written { done in
            ref.setValue(["x": 1, "y": 2], andPriority: 5, withCompletionBlock: { error, _ in done(error) })
          } == nil)
        #expect(await written { done in ref.setPriority("p", withCompletionBlock: { error, _ in done(error) }) } == nil)
        #expect(
          await written { done in ref.updateChildValues(["y": 3, "z": 4]) { error, _ in done(error) } } == nil)
        #expect(try await fixture.stored("a") == #"{".priority":"p","x":1,"y":3,"z":4}"#)
        #expect(await written { done in ref.removeValueWithCompletionBlock { error, _ in done(error) } } == nil)
        #expect(try await fixture.stored("a") == "null")
        ref.setValue(1)
        ref.setValue(2, andPriority: 3)
        ref.setPriority(4)
        ref.childByAppendingPath("t").setValue(FirebaseServerValue.timestamp())
        ref.updateChildValues(["u": 5])
        ref.childByAppendingPath("t").removeValue()
        #expect(await written { done in ref.setPriority(6, withCompletionBlock: { error, _ in done(error) }) } == nil)
        #expect(try await fixture.stored("a") == #"{".priority":6,"u":5}"#)
      }
    }

    @Test("a refused write reports the error of version 2", arguments: NetworkCondition.all)
    func refused(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network, rules: #"{"rules":{".read":false,".write":false}}"#) {
        fixture async throws in
        let error: NSError? = await called { done in fixture.ref.setValue(1, withCompletionBlock: { e, _ in done(e) }) }
        #expect(error?.code == 1 && error?.domain == "com.firebase")
        let cancelled: Int = await called { done in
          fixture.ref.observeEventType(.value, withBlock: { _ in }, withCancelBlock: { done($0.code) })
        }
        #expect(cancelled == 1)
        let single: Int = await called { done in
          fixture.ref.observeSingleEventOfType(.childAdded, withBlock: { _ in }, withCancelBlock: { done($0.code) })
        }
        #expect(single == 1)
      }
    }

    @Test(
      "observers get the five types of events, with the previous sibling's key, until they are removed",
      arguments: NetworkCondition.all)
    func observers(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref.childByAppendingPath("list")
        let heard = Calls<String>()
        var handles: [FirebaseHandle] = []
        for type in [FEventType.childAdded, .childChanged, .childMoved, .childRemoved] {
          handles.append(
            ref.observeEventType(type, andPreviousSiblingKeyWithBlock: { heard.add("\(type) \($0.key!) \($1 ?? "-")") })
          )
        }
        handles.append(ref.observeEventType(.value, withBlock: { heard.add("value \($0.childrenCount)") }))
        try await heard.wait(for: 1)
        ref.childByAppendingPath("a").setValue(1, andPriority: 1)
        ref.childByAppendingPath("b").setValue(2, andPriority: 2)
        ref.childByAppendingPath("a").setPriority(3)
        ref.childByAppendingPath("b").removeValue()
        try await heard.wait(for: 10)
        #expect(
          heard.all == [
            "value 0", "childAdded a -", "value 1", "childAdded b a", "value 2", "childMoved a b", "childChanged a b",
            "value 2", "childRemoved b -", "value 1",
          ])
        for handle in handles { ref.removeObserverWithHandle(handle) }
        let single: String = await called { done in
          ref.observeSingleEventOfType(.childAdded, andPreviousSiblingKeyWithBlock: { done("\($0.key!) \($1 ?? "-")") })
        }
        #expect(single == "a -" && heard.all.count == 10)
        ref.observeEventType(.value, withBlock: { heard.add("again \($0.childrenCount)") })
        try await heard.wait(for: 11)
        ref.removeAllObservers()
        ref.keepSynced(true)
        ref.keepSynced(false)
        let value: Int = await called { done in
          ref.observeSingleEventOfType(.value, withBlock: { done(($0.value as? [String: Any])?.count ?? -1) })
        }
        #expect(value == 1)
      }
    }

    @Test("a snapshot shows values, priorities and children in order", arguments: NetworkCondition.all)
    func snapshots(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref.childByAppendingPath("s")
        ref.setValue(["b": [".value": "x", ".priority": 1], "a": [".value": 2, ".priority": 2], "c": ["d": true]])
        let snapshot: FDataSnapshot = await called { done in
          ref.observeSingleEventOfType(.value, withBlock: { done($0) })
        }
        #expect(snapshot.key == "s" && snapshot.exists() && snapshot.hasChildren() && snapshot.childrenCount == 3)
        #expect(snapshot.children.allObjects.compactMap { ($0 as? FDataSnapshot)?.key } == ["c", "b", "a"])
        #expect(snapshot.hasChild("c/d") && !snapshot.hasChild("c/e") && snapshot.priority is NSNull)
        let child = snapshot.childSnapshotForPath("b")
        #expect(child.value as? String == "x" && child.priority as? Int == 1 && child.ref.key == "b")
        #expect((child.valueInExportFormat() as? [String: Any])?[".value"] as? String == "x")
        #expect(snapshot.childSnapshotForPath("none").value is NSNull && snapshot.description.contains("s"))
      }
    }

    @Test("queries: orders, bounds and limits, also by priority", arguments: NetworkCondition.all)
    func queries(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref.childByAppendingPath("q")
        var data: [String: Any] = [:]
        for (number, key) in ["a", "b", "c", "d"].enumerated() {
          data[key] = ["n": 4 - number, ".priority": number + 1] as [String: Any]
        }
        data["z"] = ["n": 0]
        ref.setValue(data)
        func keys(_ query: FQuery) async -> String {
          await called { done in
            query.observeSingleEventOfType(
              .value,
              withBlock: { snapshot in
                done(snapshot.children.allObjects.compactMap { ($0 as? FDataSnapshot)?.key }.joined())
              })
          }
        }
        let rows: [(FQuery, String)] = [
          (ref.queryStartingAtPriority(3), "cd"), (ref.queryStartingAtPriority(2, andChildName: "c"), "cd"),
          (ref.queryEndingAtPriority(2), "zab"), (ref.queryEndingAtPriority(2, andChildName: "a"), "za"),
          (ref.queryEqualToPriority(2), "b"), (ref.queryEqualToPriority(2, andChildName: "b"), "b"),
          (ref.queryEqualToPriority(nil), "z"), (ref.queryLimitedToNumberOfChildren(2), "cd"),
          (ref.queryEndingAtPriority(3).queryLimitedToNumberOfChildren(2), "bc"),
          (ref.queryStartingAtPriority(1).queryLimitedToNumberOfChildren(2), "ab"),
          (ref.queryLimitedToFirst(2), "za"), (ref.queryLimitedToLast(2), "cd"),
          (ref.queryOrderedByChild("n"), "zdcba"), (ref.queryOrderedByKey().queryStartingAtValue("c"), "cdz"),
          (ref.queryOrderedByPriority().queryEndingAtValue(1), "za"),
          (ref.queryOrderedByChild("n").queryStartingAtValue(2).queryEndingAtValue(3), "cb"),
          (ref.queryOrderedByChild("n").queryStartingAtValue(2, childKey: "d"), "ba"),
          (ref.queryOrderedByChild("n").queryEndingAtValue(2, childKey: "b"), "zd"),
          (ref.queryOrderedByChild("n").queryEqualToValue(4), "a"),
          (ref.queryOrderedByChild("n").queryEqualToValue(4, childKey: "a"), "a"),
        ]
        for (number, (query, expected)) in rows.enumerated() { #expect(await keys(query) == expected, "row \(number)") }
      }
    }

    @Test(
      "pending writes are purged on request: their values are reverted, and their blocks are called",
      arguments: NetworkCondition.all)
    func purge(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let (ref, heard) = (fixture.ref.childByAppendingPath("d"), Calls<String>())
        let written: Int? = await called { done in ref.setValue(1, withCompletionBlock: { e, _ in done(e?.code) }) }
        #expect(written == nil)
        ref.observeEventType(.value, withBlock: { heard.add("\($0.value ?? "")") })
        try await heard.wait(for: 1)
        ref.app.goOffline()
        ref.setValue(2, withCompletionBlock: { error, _ in heard.add("code \(error?.code ?? 0)") })
        try await heard.wait(for: 2)
        ref.app.purgeOutstandingWrites()
        try await heard.wait(for: 4)
        #expect(heard.all == ["1", "2", "1", "code 3"])
        ref.app.goOnline()
        let value: String = await called { done in
          ref.childByAppendingPath("e").setValue(1, withCompletionBlock: { _, _ in done("done") })
        }
        #expect(value == "done")
        #expect(try await fixture.stored("d") == #"{"e":1}"#)
      }
    }

    // Without network conditions that cut: a transaction whose answer is lost ends with `disconnect`, so the count is
    // unknown.
    @Test("transactions commit and are aborted", arguments: NetworkCondition.reliable)
    func transactions(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref.childByAppendingPath("n")
        let add: @Sendable (FMutableData) -> FTransactionResult = { data in
          data.value = (data.value as? Int ?? 0) + 1
          return .successWithValue(data)
        }
        ref.runTransactionBlock(add)
        let done: String = await called { done in
          ref.runTransactionBlock(add, andCompletionBlock: { done("\($0 as Any) \($1) \($2?.value as? Int ?? -1)") })
        }
        #expect(done == "nil true 2")
        let quiet: String = await called { done in
          ref.runTransactionBlock(
            add, andCompletionBlock: { done("\($0 == nil) \($1) \($2?.value as? Int ?? -1)") }, withLocalEvents: false)
        }
        #expect(quiet == "true true 3")
        let aborted: Bool = await called { done in
          ref.runTransactionBlock({ _ in .abort() }, andCompletionBlock: { _, committed, _ in done(committed) })
        }
        #expect(!aborted)
        #expect(try await fixture.stored("n") == "3")
      }
    }

    // Without network conditions that cut: the server executes the write when the proxy cuts the connection.
    @Test("onDisconnect operations; going offline and online again", arguments: NetworkCondition.reliable)
    func onDisconnect(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.another("p")
        func set(_ work: (@escaping @Sendable (NSError?) -> Void) -> Void) async -> Int? { await called(work)?.code }
        ref.childByAppendingPath("gone").setValue(1)
        ref.childByAppendingPath("kept").setValue(1)
        #expect(
          await set { d in ref.childByAppendingPath("a").onDisconnectSetValue(1, withCompletionBlock: { e, _ in d(e) })
          }
            == nil)
        #expect(
          await set { d in
            ref.childByAppendingPath("b").onDisconnectSetValue(2, andPriority: 3, withCompletionBlock: { e, _ in d(e) })
          } == nil)
        #expect(
          await set { d in ref.childByAppendingPath("gone").onDisconnectRemoveValueWithCompletionBlock { e, _ in d(e) }
          }
            == nil)
        #expect(
          await set { d in ref.onDisconnectUpdateChildValues(["c": 4], withCompletionBlock: { e, _ in d(e) }) } == nil)
        ref.childByAppendingPath("kept").onDisconnectRemoveValue()
        #expect(
          await set { d in
            ref.childByAppendingPath("kept").cancelDisconnectOperationsWithCompletionBlock { e, _ in d(e) }
          }
            == nil)
        Firebase.goOffline()
        let expected = #"{"a":1,"b":{".priority":3,".value":2},"c":4,"kept":1}"#
        try await #require(Polling.until { try await fixture.stored("p") == expected })
        ref.childByAppendingPath("a").setValue(5)
        Firebase.goOnline()
        try await #require(Polling.until { try await fixture.stored("p/a") == "5" })
      }
    }
  }
}
