import Foundation
import HearthTree
import Testing

@testable import HearthClient

/// Tests of the values that an app reads.
@Suite struct ValueWriterTests {
  private func value(_ value: Any?) throws -> Any {
    ValueWriter.value(try ValueReader.value(value, at: .root, from: "f").node)
  }

  @Test("a number can be read as any type of number that it fits, as on Apple systems")
  func numbers() throws {
    let five = try value(5)
    #expect(five as? Int == 5)
    #expect(five as? Double == 5)
    #expect(five as? Int64 == 5)
    #expect((five as? NSNumber)?.stringValue == "5")
    #expect(try value(true) as? Bool == true)
    #expect(try value(1.5) as? Double == 1.5)
    #expect(try value(1.5) as? Int == nil)
    #expect(try value("5") as? String == "5")
    #expect(try value(nil) is NSNull)
  }

  @Test("objects and arrays")
  func containers() throws {
    let object = try value(["a": ["b": 1], "c": "x"] as [String: Any])
    #expect((object as? [String: Any])?.count == 2)
    #expect((object as? NSDictionary)?["c"] as? String == "x")
    #expect(((object as? [String: Any])?["a"] as? [String: Int]) == ["b": 1])
    #expect(try value(["0": "a", "1": "b"]) as? [String] == ["a", "b"])
    let gap = try #require(try value(["1": "b"]) as? [Any])
    #expect(gap.count == 2)
    #expect(gap[0] is NSNull)
    #expect(try value(["2": "c"]) as? [String: String] == ["2": "c"])
    #expect(try value(["0": "a", "x": "b"]) as? [String: String] == ["0": "a", "x": "b"])
    #expect(try value(["01": "a"]) as? [String: String] == ["01": "a"])
  }

  @Test("the export form includes priorities, and can be written back")
  func exported() throws {
    let written: [String: Any] = ["a": [".value": 1, ".priority": 2] as [String: Any], "0": "x", ".priority": "p"]
    let node = try ValueReader.value(written, at: .root, from: "f").node
    let exported = try #require(ValueWriter.exported(node) as? [String: Any])
    #expect(exported[".priority"] as? String == "p")
    #expect((exported["a"] as? [String: Any])?[".value"] as? Int == 1)
    #expect(try ValueReader.value(exported, at: .root, from: "f").node == node)
    #expect(node[Path("a")].priority == .int(2))
  }
}
