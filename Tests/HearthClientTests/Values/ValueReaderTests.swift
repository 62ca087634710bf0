import Foundation
import HearthTree
import Testing

@testable import HearthClient

/// Tests of the conversion of an app's values to data.
@Suite struct ValueReaderTests {
  private func json(_ value: Any?) throws -> String {
    String(decoding: try ValueReader.value(value, at: .root, from: "f").node.json(), as: UTF8.self)
  }

  private func mistake(_ value: Any?, at path: Path = .root) -> String? {
    do {
      _ = try ValueReader.value(value, at: path, from: "setValue:")
      return nil
    } catch { return error.message }
  }

  @Test("Values of Swift and of Foundation are equal")
  func values() throws {
    #expect(try json(nil) == "null")
    #expect(try json(NSNull()) == "null")
    #expect(try json(Int?.none as Any) == "null")
    #expect(try json(Int?.some(3) as Any) == "3")
    #expect(try json("a") == "\"a\"")
    #expect(try json(NSString(string: "a")) == "\"a\"")
    #expect(try json("abc".dropFirst()) == "\"bc\"")
    #expect(
      try json(["a": 1, "b": [true, "x", NSNull(), 2.5]] as [String: Any]) == #"{"a":1,"b":{"0":true,"1":"x","3":2.5}}"#
    )
    #expect(try json(NSDictionary(dictionary: ["a": NSNumber(value: 1)])) == #"{"a":1}"#)
    #expect(try json(NSArray(array: ["x", "y"])) == #"{"0":"x","1":"y"}"#)
    #expect(try json(["a": [String: Any](), "b": NSNull()] as [String: Any]) == "null")
    #expect(try json([".value": 3, ".priority": "p"] as [String: Any]) == #"{".value":3,".priority":"p"}"#)
    #expect(try json(["x": 1, ".priority": 2] as [String: Any]) == #"{"x":1,".priority":2}"#)
  }

  @Test(
    "the type of a number is kept",
    arguments: [
      (true as any Sendable, Scalar.bool(true)), (NSNumber(value: true), .bool(true)), (1, .int(1)),
      (NSNumber(value: 1), .int(1)), (UInt8(7), .int(7)), (Int8(-1), .int(-1)), (NSNumber(value: Int8(1)), .int(1)),
      (1.5, .double(1.5)), (Float(0.5), .double(0.5)), (NSNumber(value: 1.5), .double(1.5)), (Int64.max, .int(.max)),
      (UInt64.max, .double(18_446_744_073_709_551_616)), (Decimal(string: "2.5") ?? 0, .double(2.5)),
      (-0.0, .double(0)),
    ])
  func numbers(value: any Sendable, expected: Scalar) throws {
    let scalar = try #require(try ValueReader.value(value, at: .root, from: "f").node.scalar)
    switch (scalar, expected) {
    case (.bool(let a), .bool(let b)): #expect(a == b)
    case (.int(let a), .int(let b)): #expect(a == b)
    case (.double(let a), .double(let b)):
      #expect(a == b)
      #expect(a.sign == .plus || a != 0)
    default: Issue.record("\(scalar) is no \(expected)")
    }
  }

  @Test("placeholders keep their location, and the structure is that of the result")
  func serverValues() throws {
    let value = try ValueReader.value(
      ["t": ServerValue.timestamp(), "n": ServerValue.increment(2), "d": ServerValue.increment(0.5)], at: .root,
      from: "f")
    let resolved = value.resolved(existing: Node(.int(1)), nowMilliseconds: 77)
    #expect(String(decoding: resolved.json(), as: UTF8.self) == #"{"d":0.5,"n":2,"t":77}"#)
    let prioritized = try ValueReader.value("x", priority: ServerValue.timestamp(), at: .root, from: "f")
    #expect(prioritized.resolved(existing: .empty, nowMilliseconds: 5).priority == .int(5))
  }

  @Test("objects that contain themselves, and too deep ones, are refused with their path")
  func cycles() throws {
    let (dictionary, list) = (NSMutableDictionary(dictionary: ["x": 1]), NSMutableArray())
    dictionary["a"] = list
    list.add(dictionary)
    let text = try #require(mistake(["top": dictionary]))
    #expect(text.contains("or the object contains a cycle at path: top.a.0.a.0."))
    let selfish = NSMutableArray()
    selfish.add(selfish)
    #expect(mistake(selfish)?.contains("cycle at path: 0.0.0.") == true)
    #expect(mistake([".value": dictionary])?.contains("Invalid data type used with .value") == true)
    var deep: Any = NSNumber(value: 1)
    for _ in 0..<500 { deep = NSDictionary(object: deep, forKey: NSString(string: "k")) }
    #expect(mistake(deep)?.contains("cycle at path: k.k.k.") == true)
    let shared = NSMutableDictionary(dictionary: ["n": NSNumber(value: true), "t": NSString(string: "s")])
    #expect(
      try json(NSArray(array: [shared, shared, NSNull(), NSNumber(value: 1.5)]))
        == #"{"0":{"n":true,"t":"s"},"1":{"n":true,"t":"s"},"3":1.5}"#)
  }

  @Test("unsupported values are refused with the messages of the SDKs for Apple systems")
  func mistakes() {
    #expect(
      mistake(["a": ["b.c": 1]])
        == "(setValue:) Invalid key in object at path: a. Keys must be non-empty and cannot contain '/' '.' '#' '$' '[' or ']'"
    )
    #expect(mistake(["": 1]) != nil)
    #expect(mistake(["a\u{1}": 1]) != nil)
    #expect(
      mistake(["a": ["b": Date()]])
        == "(setValue:) Cannot store object of type Date at a.b. Can only store objects of type NSNumber, NSString, "
        + "NSDictionary, and NSArray.")
    #expect(mistake([1: 2]) == "(setValue:) Non-string keys are not allowed in object at path: ")
    #expect(mistake(["a": Double.nan]) == "(setValue:) Cannot store NaN at path: a.")
    #expect(mistake(NSNumber(value: Double.nan)) == "(setValue:) Cannot store NaN at path: .")
    #expect(mistake(["a": -Double.infinity]) == "(setValue:) Cannot store Infinity at path: a.")
    #expect(
      mistake(String(repeating: "x", count: 10_485_761))
        == "(setValue:) String exceeds max size of 10485760 utf8 bytes: ")
    #expect(
      mistake([".sv": "timestamp", "a": 1] as [String: Any])
        == "(setValue:) Cannot store other keys with server value keys..")
    #expect(mistake([".sv": "later"])?.contains("Unknown server value") == true)
    #expect(
      mistake([".value": ["a": 1]])?.hasPrefix(
        "(setValue:) Invalid data type used with .value. Can only use NSString and NSNumber or be null. Found ") == true
    )
    for (priority, what) in [
      (true as Any, "true/false"), (Double.nan, "NaN"), (["a": 1], "an NSDictionary"), ([1], "an NSArray"),
    ] {
      #expect(
        mistake([".value": 1, ".priority": priority] as [String: Any])
          == "(setValue:) Cannot store \(what) as priority at path: .")
    }
  }

  @Test("depth is counted from the root")
  func depth() {
    let deep = (0..<30).reduce(1 as Any) { value, _ in ["k": value] }
    #expect(mistake(deep, at: Path("a/b")) == nil)
    #expect(mistake(deep, at: Path("a/b/c"))?.contains("maximum depth that can be written (32)") == true)
  }

  @Test("an update's names are paths, none above another")
  func updates() throws {
    func mistake(_ values: [AnyHashable: Any]) -> String? {
      do {
        _ = try ValueReader.update(values, at: .root, from: "updateChildValues:")
        return nil
      } catch { return error.message }
    }
    let writes = try ValueReader.update(["b/c": 1, "a/.priority": 3, "d": NSNull()], at: .root, from: "f")
    #expect(writes.map { $0.location.description } == ["/a/.priority", "/b/c", "/d"])
    #expect(writes[0].value.node.scalar == .int(3))
    #expect(writes[2].value.node.isEmpty)
    #expect(
      mistake(["a": 1, "a/b": 2]) == "(updateChildValues:) Invalid path in object. Path (/a) is an ancestor of (/a/b).")
    #expect(
      mistake(["a.b": 1])
        == "(updateChildValues:) Invalid key in object. Keys must be non-empty and cannot contain '.' '#' '$' '[' or ']'"
    )
    #expect(mistake(["/": 1]) != nil)
    #expect(mistake(["a/.priority": true])?.contains("Cannot store true/false as priority") == true)
    #expect(mistake([".info/x": 1]) != nil)
    #expect(mistake([1: 1]) == "(updateChildValues:) Non-string keys are not allowed in object at path: ")
  }

  @Test("paths and keys")
  func paths() throws {
    func message(_ body: () throws -> Void) -> String? {
      do {
        try body()
        return nil
      } catch { return (error as? DatabaseArgumentError)?.message }
    }
    let refusal = "(child:) Must be a non-empty string and not contain '.' '#' '$' '[' or ']'"
    for text in ["", "a.b", "a#", "$a", "a[", "a]", "a\u{7F}", ".info"] {
      #expect(message { _ = try Validation.path(text, from: "child:") } == refusal, "\(text)")
    }
    #expect(try Validation.path("//a//b/", from: "child:") == Path("a/b"))
    #expect(try Validation.rootPath(".info/connected", from: "child:") == Path([".info", "connected"]))
    #expect(try Validation.rootPath("/.info", from: "child:") == Path([".info"]))
    #expect(message { _ = try Validation.rootPath(".infos", from: "child:") } == refusal)
    #expect(
      message { _ = try Validation.key("a/b", from: "k") }
        == "(k) Must be a non-empty string and not contain '/' '.' '#' '$' '[' or ']'")
    #expect(
      message { try Validation.writable(Path([".info", "x"]), from: "setValue:") }
        == "(setValue:) failed to path /.info/x: Can't modify data under .info")
    let long = Path(Array(repeating: Key(String(repeating: "k", count: 256)), count: 3))
    #expect(
      message { try Validation.writable(long, from: "setValue:") }
        == "(setValue:) Has a key path longer than 768 bytes (770)")
  }
}
