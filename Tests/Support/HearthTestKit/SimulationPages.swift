import HearthEngine
import HearthTree
import PagesTestKit
import RandomTestKit

/// The pages of a simulated engine.
struct SimulationPages {
  private var store = MemoryStore()
  private var evictor: StateEvictor
  private var random: SeededRandom
  private var readsBefore = 0
  private var failing = 0
  var refusedCount = 0
  var unsoundCount = 0
  var readCount: Int { store.pages.readCount }

  init(seed: UInt64) {
    evictor = StateEvictor(of: store.store)
    random = SeededRandom(seed: seed &+ 77)
  }

  /// Stores all data, and evicts all of it.
  mutating func evictAll(of engine: inout Engine) throws {
    for part in [DatabaseState.Part.data, .sessions, .indexes] { _ = try store.save(engine.state[part]) }
    // The first round forgets which pages were read. The first page of a small node stays with its handle.
    for _ in 0..<2 {
      repeat { engine.evict(by: &evictor, sizeBytes: .max) } while !evictor.isAtStart
    }
  }

  /// Returns true when a read of the next command is to fail.
  mutating func isFailing() -> Bool { random.isOne(in: 3) }

  /// Lets one of the next reads fail.
  ///
  /// - Returns: The number of reads before it.
  mutating func failNext() -> Int {
    failing = random.below(8)
    readsBefore = store.pages.readCount
    store.pages.fail(after: failing, times: 1)
    return failing
  }

  /// Lets no more reads fail.
  ///
  /// - Returns: True when one has failed.
  mutating func endFailure() -> Bool {
    store.pages.fail(after: .max)
    return store.pages.readCount - readsBefore > failing
  }
}
