import ClusterSimulation
import Foundation
import HearthCluster
import HearthJournal
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthPostgres

/// Tests of many nodes on one log with failing connections: acknowledged rows are there once, and refused ones are not.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct FencingRaceTests {
  /// The rows of one period of ownership, with their outcome.
  private struct Attempt: Sendable {
    var epoch: Int64
    var rows: [LogRow]
    var answers: [StoreAnswer]
  }

  /// Appends consecutive rows, all sent before the first answer.
  private static func append(
    _ count: Int, after head: JournalHead, epoch: Int64, tag: UInt64, _ node: ClusterStoreClient
  ) -> Attempt {
    var (calls, rows, last) = ([StoreCall](), [LogRow](), head)
    for number in 0..<count {
      let origin = Origin(session: SessionID(rawValue: tag), request: UInt64(number) + 1, answered: 0)
      let content = (0..<number).flatMap { WriteContent(number: UInt32($0), effect: .plain).frame }
      let row = LogRow([.write(origin, content: content)], after: last, epoch: epoch)
      calls.append(.append(row, after: last, claim: epoch))
      rows.append(row)
      last = row.head
    }
    return Attempt(epoch: epoch, rows: rows, answers: node.ask(calls))
  }

  private static func check(_ attempts: [Attempt], _ log: [LogRow]) {
    var head = JournalHead.empty
    for row in log {
      #expect(row.follows(head), "row \(row.batch.firstPosition)")
      let isTakeover = (try? LogRecord.decode(row.batch)).map { if case .takeover = $0[0] { true } else { false } }
      #expect(row.epoch == head.epoch || isTakeover == true, "epoch \(row.epoch) begins without a takeover")
      head = row.head
    }
    let there = Set(log.map(\.hash))
    #expect(Set(attempts.map(\.epoch)).count == attempts.count, "two owners of an epoch")
    for attempt in attempts {
      let refusal = attempt.answers.firstIndex { $0 != .done }
      for (place, (row, answer)) in zip(attempt.rows, attempt.answers).enumerated() {
        switch answer {
        case .done:
          #expect(there.contains(row.hash), "acknowledged, and not there")
          #expect(refusal.map { place < $0 } ?? true || attempt.answers.contains(.failed), "success after a refusal")
        case .refused: #expect(!there.contains(row.hash), "refused, and there")
        default: break
        }
      }
    }
  }

  @Test("six nodes that each claim to be the next owner")
  func race() async throws {
    let fixture = try PostgresFixture()
    // A lease without a duration is always expired.
    let nodes = try (0..<6).map { _ in try ClusterStoreClient(try fixture.peer(), leaseMilliseconds: 0) }
    let contenders = nodes.enumerated().map { index, node in
      BlockingCall {
        var random = SeededRandom(seed: UInt64(index))
        let run = try node.register("\(index)")
        var (attempts, rows): ([Attempt], [LogRow]) = ([], [])
        for round in 0..<Torture.count(sample: 12, full: 400) {
          let epoch = try node.takeOver(by: run, &rows)
          var head = rows[rows.count - 1].head
          var attempt = Attempt(epoch: epoch, rows: [], answers: [])
          repeat {
            let some = Self.append(
              1 + random.below(16), after: head, epoch: epoch, tag: UInt64(index * 100_000 + round), node)
            attempt.rows += some.rows
            attempt.answers += some.answers
            head = some.rows[some.rows.count - 1].head
          } while attempt.answers.allSatisfy { $0 == .done } && attempt.rows.count < 64
          attempts.append(attempt)
        }
        return attempts
      }
    }
    var attempts: [Attempt] = []
    for contender in contenders { attempts += try await contender.value() }
    let log = try nodes[0].log()
    Self.check(attempts, log)
    let answers = attempts.flatMap(\.answers)
    let claims = try nodes[0].owner().epoch
    Torture.report(
      """
      \(answers.count { $0 == .done }) rows, \(answers.count { $0 == .refused }) refused, \
      \(answers.count { $0 == .failed }) unknown, \(attempts.count) takeovers, \(claims) claims
      """)
    #expect(answers.contains(.refused) && !answers.contains(.failed))
  }

  @Test("after cut connections writes of unknown outcome are present or absent, and acknowledged writes are present")
  func cuts() throws {
    let fixture = try PostgresFixture()
    let proxy = try CutProxy(fixture.server.socketPath)
    let node = try ClusterStoreClient(try fixture.peer(url: proxy.url, requestTimeoutSeconds: 10), leaseMilliseconds: 0)
    var random = SeededRandom(seed: 1)
    var run: Incarnation?
    while run == nil { run = try? node.register("a") }
    var (attempts, rows): ([Attempt], [LogRow]) = ([], [])
    for round in 0..<Torture.count(sample: 40, full: 2_000) {
      let epoch = try node.takeOver(by: try #require(run), &rows)
      proxy.cut(after: 1 + random.below(3_000), random.isOne(in: 2) ? .toServer : .toClient)
      attempts.append(
        Self.append(1 + random.below(12), after: rows[rows.count - 1].head, epoch: epoch, tag: UInt64(round), node))
      // Sometimes the fault affects the next owner's claim and reads.
      if random.isOne(in: 3) { proxy.heal() }
    }
    proxy.heal()
    let log = try node.log()
    Self.check(attempts, log)
    let there = Set(log.map(\.hash))
    let unknown = attempts.flatMap { zip($0.rows, $0.answers) }.filter { $0.1 == .failed }.map(\.0)
    let landed = unknown.count { there.contains($0.hash) }
    Torture.report("\(proxy.cutCount) cuts, \(unknown.count) unknown rows, \(landed) of them there")
    #expect(proxy.cutCount > 10 && landed > 0 && landed < unknown.count)
  }
}
