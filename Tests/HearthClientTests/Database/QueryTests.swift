import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

/// Tests of queries with a live server.
@Suite struct QueryTests {
  @Test("orders, limits and bounds select the right children, for observers and reads", arguments: NetworkCondition.all)
  func found(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, reader) = (fixture.ref(), fixture.ref())
      try await ref.setValue(
        [
          "a": [".value": 3, ".priority": 1], "b": [".value": 1, ".priority": 3], "c": [".value": 2, ".priority": 2],
          "d": ["x": ["y": 5]], "e": ["x": ["y": 4]],
        ] as [String: Any])
      let queries: [(DatabaseQuery, String)] = [
        (reader.queryOrderedByKey().queryLimited(toFirst: 2), "ab"),
        (reader.queryOrderedByKey().queryLimited(toLast: 2), "de"),
        (reader.queryOrderedByValue().queryLimited(toFirst: 3), "bca"),
        (reader.queryOrderedByPriority().queryStarting(atValue: 1), "acb"),
        (reader.queryOrdered(byChild: "x/y").queryStarting(atValue: 1), "ed"),
        (reader.queryOrderedByValue().queryStarting(atValue: 1).queryEnding(atValue: 2), "bc"),
        (reader.queryOrderedByValue().queryStarting(afterValue: 1).queryEnding(beforeValue: 3), "c"),
        (
          reader.queryOrderedByValue().queryStarting(atValue: 1, childKey: "c").queryEnding(atValue: 3, childKey: "a"),
          "ca"
        ),
        (
          reader.queryOrderedByValue().queryStarting(afterValue: 1, childKey: "b").queryEnding(
            beforeValue: 3, childKey: "b"), "ca"
        ),
        (reader.queryOrderedByValue().queryEqual(toValue: 2), "c"),
        (reader.queryOrderedByValue().queryEqual(toValue: 2, childKey: "b"), ""),
        (reader.queryOrderedByKey().queryStarting(atValue: "b").queryEnding(beforeValue: "d"), "bc"),
        (reader.queryOrderedByKey().queryEqual(toValue: "e"), "e"),
      ]
      for (query, keys) in queries {
        let observed = await query.observeSingleEvent(of: .value)
        #expect(observed.childSnapshots.map(\.key).joined() == keys)
        let read = try await query.getData()
        #expect(read.childSnapshots.map(\.key).joined() == keys)
      }
    }
  }

  @Test("the window of a limitToLast query moves with added children", arguments: NetworkCondition.all)
  func window(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(["a": 1, "b": 2, "c": 3])
      let query = ref.queryLimited(toLast: 2)
      query.observe(.childAdded) { lines.add("+" + $0.key) }
      query.observe(.childRemoved) { lines.add("-" + $0.key) }
      #expect(await lines.wait(for: 2) == ["+b", "+c"])
      try await ref.child("d").setValue(4)
      #expect(lines.all == ["+b", "+c", "-b", "+d"])
    }
  }

  @Test("a read is answered from the cache, from the server, or fails", arguments: NetworkCondition.all)
  func reads(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(["a": ["b": 1], "c": 2] as [String: Any])
      ref.getData { error, snapshot in lines.add("\(error == nil) \(json(snapshot))") }
      #expect(await lines.wait(for: 1) == [#"true {"a":{"b":1},"c":2}"#])
      _ = try await ref.singleEvent(of: .value)
      #expect(try await json(ref.child("a/b").getData()) == "1")
      let error = await #expect(throws: DatabaseError.self) { try await ref.root.child("closed").getData() }
      #expect(error?.status == "permission_denied")
    }
  }

  @Test("a read without a connection fails with the SDK's message where no data is observed or cached")
  func offlineRead() async throws {
    try await DatabaseFixture.with { fixture in
      let database = fixture.database { $0.configureConnections { $0.getTimeoutMilliseconds = 1 } }
      database.goOffline()
      let query = database.reference(withPath: "open/a").queryLimited(toLast: 2)
      let error = await #expect(throws: DatabaseError.self) { try await query.getData() }
      #expect(
        error?.localizedDescription
          == "Unable to get latest value for query \(query.description), client offline with no "
          + "active listeners and no matching disk cache entries")
    }
  }

  @Test(
    "in key order the methods with a key parameter are refused, also with a nil key",
    arguments: ["StartingAt", "StartingAfter", "EndingAt", "EndingBefore", "EqualTo"])
  func keyOrderWithoutKey(method: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [method = method as String] in
      let query = Database.database(url: "http://127.0.0.1:1/?ns=x").reference().queryOrderedByKey()
      switch method {
      case "StartingAt": _ = query.queryStarting(atValue: "a", childKey: nil)
      case "StartingAfter": _ = query.queryStarting(afterValue: "a", childKey: nil)
      case "EndingAt": _ = query.queryEnding(atValue: "a", childKey: nil)
      case "EndingBefore": _ = query.queryEnding(beforeValue: "a", childKey: nil)
      default: _ = query.queryEqual(toValue: "a", childKey: nil)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "You must use query\(method)Value: instead of query\(method)Value:childKey: when using queryOrderedByKey:"))
  }
}
