import HearthBytes
import RandomTestKit
import Testing

@testable import HearthCluster

@Suite("requests between nodes")
struct NodeQuestionTests {
  private static let questions: [NodeQuestion] = [
    .load, .open(journal: "databases/default"), .open(journal: "é"), .receipts(of: .user(uid: "é"), position: 0),
    .receipts(of: .serviceAccount(email: "a@b"), position: .max), .closeDeleted,
  ]
  private static let answers: [NodeAnswer] = [
    .load(acceptsDatabases: true, ownedCount: 0), .load(acceptsDatabases: false, ownedCount: .max), .opened, .declined,
    .receipts(Array("{}".utf8)), .closedDeleted,
  ]

  @Test("encoded requests are decoded, and truncated or overlong ones are refused")
  func coding() throws {
    for question in Self.questions {
      let bytes = question.encoded
      #expect(NodeQuestion.canDecode(bytes))
      #expect(try NodeQuestion(encoded: bytes) == question)
      if [.load, .closeDeleted].contains(question) {
        #expect(throws: MalformedBytes.self) { try NodeQuestion(encoded: bytes + [0]) }
      }
      // A name follows these bytes.
      let fixedCount = if case .receipts = question { 12 } else { 2 }
      for count in 0..<fixedCount {
        #expect(throws: MalformedBytes.self) { try NodeQuestion(encoded: Array(bytes[..<count])) }
      }
    }
    for answer in Self.answers {
      let bytes = answer.encoded
      #expect(try NodeAnswer(encoded: bytes) == answer)
      // The content of receipts is not decoded here.
      if case .receipts = answer { continue }
      #expect(throws: MalformedBytes.self) { try NodeAnswer(encoded: bytes + [0]) }
      for count in bytes.indices {
        #expect(throws: MalformedBytes.self) { try NodeAnswer(encoded: Array(bytes[..<count])) }
      }
    }
  }

  @Test("any bytes decode to a request or cause an error")
  func strangers() {
    var random = SeededRandom(seed: 15)
    for _ in 0..<20_000 {
      let bytes = [UInt8(random.below(4))] + (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
      if let question = try? NodeQuestion(encoded: bytes) { #expect(question.encoded == bytes) }
      if let answer = try? NodeAnswer(encoded: bytes) { #expect(answer.encoded == bytes) }
    }
    let long = NodeQuestion.open(journal: String(repeating: "x", count: ClusterLimits.journalNameBytesMax + 1))
    #expect(throws: MalformedBytes.self) { try NodeQuestion(encoded: long.encoded) }
    for count in [0, ClusterLimits.credentialNameBytesMax + 1] {
      let name = String(repeating: "x", count: count)
      let question = NodeQuestion.receipts(of: .user(uid: name), position: 1)
      #expect(throws: MalformedBytes.self) { try NodeQuestion(encoded: question.encoded) }
    }
    let bytes = [UInt8](repeating: 32, count: ClusterLimits.receiptBytesMax)
    #expect(throws: Never.self) { try NodeAnswer(encoded: NodeAnswer.receipts(bytes).encoded) }
    #expect(throws: MalformedBytes.self) { try NodeAnswer(encoded: NodeAnswer.receipts(bytes + [32]).encoded) }
    #expect(!NodeQuestion.canDecode([]))
    #expect(!NodeQuestion.canDecode([1, 2]))
  }
}
