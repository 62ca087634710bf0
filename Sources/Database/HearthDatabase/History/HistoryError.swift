import HearthEngine
import HearthJournal
import HearthTree

/// The reason why a past state cannot be returned.
public enum HistoryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The position is older than the retained history, which begins at this position.
  case notRetained(oldestPosition: Int64)
  /// The position does not exist yet; the log ends at this one.
  case notReached(lastPosition: Int64)
  /// The value had more than these bytes, the most that are read of a past state of a database with page files.
  case tooLarge(sizeBytesMax: Int)
  /// The caller cancelled the call.
  case cancelled
  /// The journal could not be read.
  case journal(JournalError)
  /// The data read differs from the data written.
  case record(RecordError)

  public var description: String {
    switch self {
    case .notRetained(let position):
      "history does not go back that far; it begins at position \(position)"
    case .notReached(let position): "the position does not exist; the last one is \(position)"
    case .tooLarge(let sizeBytesMax):
      "the value had more than \(sizeBytesMax >> 20) MiB, the most that are read of a past state; read a location below it"
    case .cancelled: "the read was cancelled"
    case .journal(let error): error.description
    case .record(let error): error.description
    }
  }

  /// Runs `body`, and maps its errors.
  ///
  /// - Parameter oldestPosition: Evaluated when data was pruned while it was read.
  static func mapping<Value>(
    oldestPosition: () -> Int64, _ body: () throws -> Value
  ) throws(HistoryError) -> Value {
    do {
      return try body()
    } catch let error as HistoryError {
      throw error
    } catch let error as JournalError {
      let isPruned = error.code == .pruned || error.code == .snapshotAbandoned
      if isPruned { throw .notRetained(oldestPosition: oldestPosition()) }
      throw .journal(error)
    } catch let error as RecordError {
      throw .record(error)
    } catch let error as PageError {
      throw .journal(JournalError(error))
    } catch {
      throw .journal(JournalError(.inputOutput, "reading history failed", cause: String(describing: error)))
    }
  }
}
