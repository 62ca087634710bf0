import Foundation
import HearthTree
import Testing

@testable import HearthClient

/// Tests of locations, their addresses and their keys. No server listens at the port.
@Suite struct ReferenceTests {
  private func with(_ url: String = "http://127.0.0.1:1/?ns=x", _ body: (Database) throws -> Void) rethrows {
    let database = Database.database(app: .appOrDefault(), url: url, credentials: FixedCredential(nil))
    defer { database.shutDown() }
    try body(database)
  }

  @Test("child, parent, root, key, database")
  func places() throws {
    try with { database in
      let ref = database.reference(withPath: "a/b")
      #expect(ref.key == "b")
      #expect(ref.parent?.key == "a")
      #expect(ref.parent?.parent == ref.root)
      #expect(ref.root.parent == nil)
      #expect(ref.root.key == nil)
      #expect(ref.child("c//d/") == database.reference().child("a/b/c/d"))
      #expect(ref.database === database)
      #expect(ref.queryOrderedByKey().ref == ref)
      #expect(database.reference(withPath: ".info/connected").key == "connected")
      #expect(throws: DatabaseArgumentError.self) { try ref.child(validating: ".info") }
      #expect(throws: DatabaseArgumentError.self) { try ref.child(validating: "x.y") }
      let valid = try ref.child(validating: "x")
      #expect(valid == ref.child("x"))
    }
  }

  @Test("the URL of a location leads back to the location")
  func addresses() throws {
    with { database in
      let ref = database.reference(withPath: "a b/é")
      #expect(ref.url == "http://127.0.0.1:1/a%20b/%C3%A9?ns=x")
      #expect(ref.description() == ref.url)
      #expect("\(ref)" == ref.url)
      #expect(database.reference(fromURL: ref.url) == ref)
      #expect(database.reference().url == "http://127.0.0.1:1/?ns=x")
      #expect(throws: DatabaseArgumentError.self) { try database.path(of: "http://127.0.0.2:1/?ns=x") }
      #expect(throws: DatabaseArgumentError.self) { try database.path(of: "http://127.0.0.1:1/a.b?ns=x") }
    }
    with("https://name.example.com") { database in
      #expect(database.reference(withPath: "a").url == "https://name.example.com/a")
      #expect(database.reference(fromURL: "https://name.example.com/a/b").key == "b")
    }
    #expect(throws: DatabaseArgumentError.self) { try Database.rootAddress("https://name.example.com/a") }
  }

  @Test("on an emulator the configured URL leads to the emulator's location")
  func configuredAddress() {
    with("https://chat.firebaseio.com") { database in
      database.useEmulator(withHost: "127.0.0.1", port: 1)
      let ref = database.reference(fromURL: "https://chat.firebaseio.com/a/b")
      #expect(ref.url == "http://127.0.0.1:1/a/b?ns=chat" && ref == database.reference(fromURL: ref.url))
      #expect(throws: DatabaseArgumentError.self) { try database.path(of: "https://other.firebaseio.com/a") }
      #expect(throws: DatabaseArgumentError.self) { try database.path(of: "http://127.0.0.1:1/a?ns=other") }
    }
  }

  @Test("a query's description names its parameters")
  func queryDescription() {
    with { database in
      let query = database.reference(withPath: "a").queryOrdered(byChild: "x/y").queryStarting(atValue: 1).queryLimited(
        toFirst: 2)
      #expect(query.description == #"(/a {"sp":1,"sin":true,"l":2,"vf":"l","i":"x/y"})"#)
      #expect(query.ref.queryOrderedByPriority().description == query.ref.url)
    }
  }

  @Test("snapshots and the data of a transaction can be made for unit tests")
  func doubles() {
    with { database in
      let snapshot = DataSnapshot(
        ref: database.reference(withPath: "rooms/a"), value: ["title": "Lobby", ".priority": 3])
      #expect(snapshot.key == "a" && snapshot.priority as? Int == 3)
      #expect(snapshot.childSnapshot(forPath: "title").value as? String == "Lobby")
      #expect(!DataSnapshot(ref: snapshot.ref, value: nil).exists())
      let data = MutableData(value: 4, key: "sum")
      #expect(data.key == "sum" && data.value as? Int == 4)
      data.value = 5
      #expect(TransactionResult.success(withValue: data).value as? Int == 5)
      #expect(TransactionResult.abort().isAborted && MutableData(value: nil).key == nil)
    }
  }

  @Test("an app has one database instance")
  func sameDatabase() {
    with { database in
      let again = Database.database(
        app: .appOrDefault(), url: "http://127.0.0.1:1/?ns=x", credentials: FixedCredential(nil))
      #expect(again === database)
    }
  }

  @Test("an app's options name its database, by its URL or by its project")
  func databaseOfApp() throws {
    let options = FirebaseOptions()
    options.databaseURL = "http://127.0.0.1:1/?ns=of-options"
    let database = Database.database(app: AuthFixture.app(options))
    defer { database.shutDown() }
    #expect(database.reference(withPath: "a").url == "http://127.0.0.1:1/a?ns=of-options")
    #expect(database.app?.options.databaseURL == options.databaseURL)
    let projectOptions = FirebaseOptions()
    projectOptions.projectID = "project-of-a-test"
    let named = Database.database(app: AuthFixture.app(projectOptions))
    defer { named.shutDown() }
    named.useEmulator(withHost: "127.0.0.1", port: 1)
    #expect(named.reference().url == "http://127.0.0.1:1/?ns=project-of-a-test-default-rtdb")
  }

  @Test("the library has a version, which it sends to servers")
  func version() throws {
    #expect(Database.sdkVersion().wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
    #expect(ClientIdentification().userAgent.contains("/\(Database.sdkVersion())/"))
    let counter = Database.sdkVersion().replacing(".", with: "-")
    #expect(ConnectionSettings().sdkCounter == "sdk.hearth." + counter)
  }

  @Test("an emulator replaces the server")
  func emulator() {
    with("https://name.example.com") { database in
      database.useEmulator(withHost: "127.0.0.1", port: 1)
      #expect(database.reference(withPath: "a").url == "http://127.0.0.1:1/a?ns=name")
    }
  }

  @Test("ten thousand keys from eight threads are unique, and each thread's ascend")
  func autoIDs() async {
    let database = Database.database(
      app: .appOrDefault(), url: "http://127.0.0.1:1/?ns=ids", credentials: FixedCredential(nil))
    defer { database.shutDown() }
    let ref = database.reference()
    let ids = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 { group.addTask { (0..<1250).map { _ in ref.childByAutoId().key ?? "" } } }
      return await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    #expect(Set(ids.joined()).count == 10_000)
    for row in ids {
      #expect(
        row.map { Array($0.utf8) }
          == row.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.map { Array($0.utf8) })
    }
    #expect(ids.joined().allSatisfy { $0.utf8.count == 20 })
  }
}
