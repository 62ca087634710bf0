import Foundation
import HearthTree
import Testing

@testable import HearthClient

private enum Shape: String, Codable { case round, square }

private struct Inner: Codable, Equatable {
  var name: String
  var tags: [String]
}

private struct Everything: Codable, Equatable {
  var text = "x"
  var whole = 3
  var large = UInt64.max
  var real = 1.0
  var small: Float = 0.5
  var flag = true
  var nothing: Int?
  var inner = Inner(name: "n", tags: ["a", "b"])
  var map = ["k": Inner(name: "m", tags: ["z"])]
  var shape = Shape.square
  var url = URL(string: "https://example.com/a")
  var data = Data([1, 2, 3])
  var date = Date(timeIntervalSinceReferenceDate: 10.5)
  var choice = Choice.some(value: 4)
}

private enum Choice: Codable, Equatable {
  case none
  case some(value: Int)
}

private struct Outer: Codable { var inner: Inner }

private struct Model: Codable, Equatable {
  var createdAt: Date
  var myURLLength: Double
}

private struct Plain: Codable, Equatable {
  var createdAt: Date
  var myUrlLength: Double
}

private struct Message: Codable { @ServerTimestamp var sent: Date? }

/// Tests of `Encodable` and `Decodable` values converted to data and back.
@Suite struct CodingTests {
  /// Converts a value to data and back, as a snapshot returns it.
  private func stored(_ value: some Encodable, _ encoder: DatabaseEncoder = DatabaseEncoder()) throws -> Any {
    ValueWriter.value(try ValueReader.value(try encoder.encode(value), at: .root, from: "f").node)
  }

  @Test("a value with every supported type is encoded and decoded unchanged")
  func everything() throws {
    var value = Everything()
    value.large = 1 << 62
    let there = try stored(value)
    let back = try DatabaseDecoder().decode(Everything.self, from: there)
    #expect(back == value)
    let object = try #require(there as? [String: Any])
    #expect(object["flag"] as? Bool == true)
    #expect(object["data"] as? String == "AQID")
    #expect(object["date"] as? Double == 10.5)
    #expect(object["nothing"] == nil)
  }

  @Test("scalars, arrays and dictionaries at the top level")
  func bare() throws {
    #expect(try DatabaseDecoder().decode(Int.self, from: try stored(5)) == 5)
    #expect(try DatabaseDecoder().decode(Double.self, from: try stored(5)) == 5)
    #expect(try DatabaseDecoder().decode(Bool.self, from: try stored(true)) == true)
    #expect(try DatabaseDecoder().decode([String].self, from: try stored(["a", "b"])) == ["a", "b"])
    #expect(try DatabaseDecoder().decode([String: Int].self, from: try stored(["0": 1, "1": 2])) == ["0": 1, "1": 2])
    #expect(try DatabaseDecoder().decode([String].self, from: ["3": "b", "0": "a"]) == ["a", "b"])
    #expect(try DatabaseDecoder().decode(Int?.self, from: NSNull()) == nil)
  }

  @Test("strategies for dates, numbers and names")
  func settings() throws {
    let encoder = DatabaseEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "?")
    let value = Model(createdAt: Date(timeIntervalSince1970: 2), myURLLength: -.infinity)
    let there = try #require(try stored(value, encoder) as? [String: Any])
    #expect(there["created_at"] as? Int == 2000)
    #expect(there["my_url_length"] as? String == "-")
    let decoder = DatabaseDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "?")
    let back = try decoder.decode(Plain.self, from: there)
    #expect(back == Plain(createdAt: value.createdAt, myUrlLength: value.myURLLength))
    #expect(throws: EncodingError.self) { try DatabaseEncoder().encode(Double.nan) }
    encoder.dateEncodingStrategy = .iso8601
    decoder.dateDecodingStrategy = .iso8601
    #expect(try encoder.encode(value.createdAt) as? String == "1970-01-01T00:00:02Z")
    #expect(try decoder.decode(Date.self, from: "1970-01-01T00:00:02Z") == value.createdAt)
  }

  @Test("a server timestamp is encoded as a placeholder and decoded as a date")
  func timestamp() throws {
    let value = try ValueReader.value(try DatabaseEncoder().encode(Message(sent: nil)), at: .root, from: "f")
    #expect(value.deferred.count == 1)
    let resolved = ValueWriter.value(value.resolved(existing: .empty, nowMilliseconds: 1500))
    #expect(try DatabaseDecoder().decode(Message.self, from: resolved).sent == Date(timeIntervalSince1970: 1.5))
    let known = try DatabaseEncoder().encode(Message(sent: Date(timeIntervalSince1970: 1.5)))
    #expect((known as? [String: Any])?["sent"] as? Int64 == 1500)
  }

  @Test("a decoding error names its coding path")
  func failures() {
    func path(_ value: Any) -> String? {
      do {
        _ = try DatabaseDecoder().decode(Outer.self, from: value)
        return nil
      } catch let DecodingError.typeMismatch(_, context) {
        return context.codingPath.map(\.stringValue).joined(separator: ".")
      } catch let DecodingError.keyNotFound(key, context) {
        return context.codingPath.map(\.stringValue).joined(separator: ".") + " lacks " + key.stringValue
      } catch { return "\(error)" }
    }
    #expect(path(["inner": ["name": 3, "tags": ["a"]] as [String: Any]]) == "inner.name")
    #expect(path(["inner": ["name": "x", "tags": ["a", 1] as [Any]] as [String: Any]]) == "inner.tags.1")
    #expect(path([String: Any]()) == " lacks inner")
    #expect(throws: DecodingError.self) { try DatabaseDecoder().decode(Int8.self, from: 300) }
    #expect(throws: DecodingError.self) { try DatabaseDecoder().decode(Int.self, from: 1.5) }
    #expect(throws: DecodingError.self) { try DatabaseDecoder().decode(String.self, from: NSNull()) }
  }
}
