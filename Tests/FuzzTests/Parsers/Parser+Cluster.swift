import HearthCluster
import HearthJournal

@testable import HearthEngine

extension Parser {
  /// Parsers of messages between the nodes of a cluster, one of which may be another program, or defective.
  static let clusterParsers = [
    Parser(name: "link-messages") { bytes in
      var decoder = LinkDecoder()
      for piece in pieces(of: bytes) {
        decoder.append(piece)
        do {
          while let message = try decoder.next() {
            let again = try? LinkMessage(encoded: message.encoded(in: Hello.versions.upperBound).dropFirst(4))
            try require(again == message, "a message that is read as another one")
            if case .database(_, .commits(let row)) = message { _ = try? LogRecord.decode(row.batch) }
          }
        } catch let broken as Violation {
          throw broken
        } catch {
          return
        }
      }
    },
    Parser(name: "log-records") { bytes in
      // The first byte states the number of records, so that the decoder reaches their content.
      guard let count = bytes.first else { return }
      let batch = JournalBatch(firstPosition: 1, lastPosition: max(1, Int64(count)), payload: Array(bytes.dropFirst()))
      guard let records = try? LogRecord.decode(batch) else { return }
      try require(LogRecord.encode(records) == batch.payload, "records that are written as others")
      var table = SessionTable()
      for (place, record) in records.enumerated() { table.apply(record, at: Int64(place) + 1) }
      try require((try? SessionTable(encoded: table.encoded)) == table, "a table that is read as another one")
    },
    Parser(name: "session-table") { bytes in
      guard let table = try? SessionTable(encoded: bytes) else { return }
      try require(table.encoded == bytes, "a table that is written as another one")
    },
    Parser(name: "forwarded-change") { bytes in
      guard let change = try? ForwardedChange(encoded: bytes) else { return }
      let again = try? ForwardedChange(encoded: change.encoded)
      try require(again?.encoded == change.encoded, "a change that is read as another one")
      // A request that can be parsed can be decided, and then becomes a record.
      var decider = ChangeDecider(state: DatabaseState(root: .empty, rules: .denyAll, position: 0))
      let instant = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
      guard let content = decider.decide(change, of: 1, at: 1, instant).content else { return }
      try require((try? CommitRecord.decode(content)) != nil, "a decision that cannot be read")
      _ = decider.end(1, at: 2, instant)
    },
    Parser(name: "forwarded-reply") { bytes in
      guard let reply = try? Reply(forwarded: bytes) else { return }
      let again = try? Reply(forwarded: reply.forwarded)
      try require(again?.forwarded == reply.forwarded, "an answer that is read as another one")
    },
  ]
}
