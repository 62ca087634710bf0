import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthTree

/// Tests of the shares of databases in the memory for pages.
@Suite struct PageCacheTests {
  /// A source without pages.
  private final class NoPages: PageSource {
    func read(
      at location: PageLocation, _ body: (_ record: UnsafeRawBufferPointer, _ seed: UInt64) -> Void
    ) throws(PageError) {
      throw PageError("there is no page", at: location)
    }
  }

  /// A database in a cache.
  private final class Member: Sendable {
    let store: PageStore
    let reliefs = Atomic(0)

    init(_ cache: PageCache, residentBytes: Int) throws {
      store = try #require(PageStore.register(NoPages()))
      cache.insert(store) { [self] in reliefs.add(1, ordering: .relaxed) }
      try add(residentBytes)
    }

    private var location: PageLocation {
      get throws { try #require(PageLocation(store: store.number, address: 64, sizeBytes: 64)) }
    }

    func add(_ bytes: Int) throws { PageStore.addResident(bytes, at: try location) }

    func read(_ count: Int) throws {
      let location = try location
      for _ in 0..<count { _ = try? store.load(location) { _ in } }
    }
  }

  @Test("a database may use what the others do not, and no more than its share when all use theirs")
  func shares() throws {
    let cache = PageCache(sizeBytes: 1_000)
    let a = try Member(cache, residentBytes: 900)
    let b = try Member(cache, residentBytes: 100)
    #expect(cache.residentBytes == 1_000 && cache.excessBytes(of: a.store) == 0)
    try b.add(300)
    #expect(cache.excessBytes(of: a.store) == 300 && cache.excessBytes(of: b.store) == 0)
    try b.add(300)
    #expect(cache.excessBytes(of: a.store) == 400 && cache.excessBytes(of: b.store) == 200)
    cache.remove(a.store)
    #expect(cache.excessBytes(of: b.store) == 0 && cache.excessBytes(of: a.store) == 0)
  }

  @Test("readers wait for evictions only when there are many more pages in memory than the cache holds")
  func waits() throws {
    let cache = PageCache(sizeBytes: 20 << 20)
    let a = try Member(cache, residentBytes: 36 << 20)
    #expect(!cache.isFarExceeded)
    try a.add(1)
    #expect(cache.isFarExceeded)
  }

  @Test("a database that reads no page while others read as many as the cache has loses its share, until it reads one")
  func idle() throws {
    let cache = PageCache(sizeBytes: 200 << 10)
    let idle = try Member(cache, residentBytes: 80 << 10)
    let busy = try Member(cache, residentBytes: 130 << 10)
    try idle.read(1)
    try busy.read(50)
    #expect(cache.excessBytes(of: idle.store) == 0 && cache.excessBytes(of: busy.store) == 10 << 10)
    try busy.read(100)
    #expect(cache.excessBytes(of: idle.store) == 0)
    try busy.read(1)
    #expect(cache.excessBytes(of: idle.store) == 10 << 10 && cache.excessBytes(of: busy.store) == 0)
    try idle.read(1)
    #expect(cache.excessBytes(of: idle.store) == 0)
  }

  @Test("pages that are not stored count, and those with most of them are to store them")
  func dirty() throws {
    let cache = PageCache(sizeBytes: 100 << 20)
    let a = try Member(cache, residentBytes: 80 << 20)
    let b = try Member(cache, residentBytes: 0)
    cache.setDirtyBytes(24 << 20, of: b.store)
    #expect(cache.excessBytes(of: a.store) == 4 << 20 && cache.dirtyBytes == 24 << 20)
    #expect(!cache.needsCheckpoint(of: b.store))
    cache.setDirtyBytes(2 << 20, of: a.store)
    #expect(cache.needsCheckpoint(of: b.store) && !cache.needsCheckpoint(of: a.store) && !cache.isFull(of: b.store))
    cache.setDirtyBytes(50 << 20, of: b.store)
    #expect(cache.isFull(of: b.store) && !cache.isFull(of: a.store))
    cache.setDirtyBytes(1, of: b.store)
    #expect(!cache.isFull(of: b.store) && !cache.needsCheckpoint(of: b.store))
  }

  @Test("a database is relieved of pages when others read, and of pages that are not stored when others write")
  func reliefs() async throws {
    let cache = PageCache(sizeBytes: 100 << 20)
    let a = try Member(cache, residentBytes: 101 << 20)
    let b = try Member(cache, residentBytes: 0)
    cache.noteRead(200 << 10)
    cache.noteRead(100 << 10)
    while a.reliefs.load(ordering: .relaxed) == 0 { await Task.yield() }
    #expect(b.reliefs.load(ordering: .relaxed) == 0)
    try a.add(-(101 << 20))
    cache.setDirtyBytes(20 << 20, of: b.store)
    cache.setDirtyBytes(6 << 20, of: a.store)
    while b.reliefs.load(ordering: .relaxed) == 0 { await Task.yield() }
    #expect(a.reliefs.load(ordering: .relaxed) == 1)
  }

  @Test("a quarter of many pages that came at once is evicted at a time, by later runs too")
  func paceOfEviction() throws {
    let cache = PageCache(sizeBytes: 0)
    let member = try Member(cache, residentBytes: 0)
    var eviction = PageEviction(of: member.store, in: cache)
    try member.add(8 << 20)
    var wanted: [Int] = []
    for _ in 0..<3 {
      _ = eviction.run({ wanted.append($1) }, release: {})
      try member.add(300 << 10)
    }
    #expect(wanted.count > 3 && wanted.allSatisfy { $0 >= 2 << 20 })
  }
}
