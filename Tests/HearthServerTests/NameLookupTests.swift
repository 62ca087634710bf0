import Dispatch
import Glibc
import Synchronization
import Testing

@testable import HearthServer

@Suite("Name lookups, and idle databases")
struct NameLookupTests {
  @Test("requests during a lookup share the next one")
  func shared() async {
    let count = Mutex(0)
    let gate = DispatchSemaphore(value: 0)
    let looks = NameLookup {
      count.withLock { $0 += 1 }
      gate.wait()
      return ["a"]
    }
    let answers = Mutex(0)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func answered(_ names: [String]?) {
        let isLast = answers.withLock { answers in
          answers += 1
          return answers == 101
        }
        #expect(names == ["a"])
        if isLast { done.resume() }
      }
      looks.lookUp(answered)
      while count.withLock({ $0 }) == 0 { sched_yield() }
      for _ in 0..<100 { looks.lookUp(answered) }
      gate.signal()
      gate.signal()
    }
    #expect(count.withLock { $0 } == 2)
  }

  @Test("a failed lookup is an error")
  func failure() async {
    let looks = NameLookup { nil }
    let names = await withCheckedContinuation { done in looks.lookUp { done.resume(returning: $0) } }
    #expect(names == nil)
  }

  @Test("a database is idle when it was unused between checks for long enough")
  func use() {
    let use = DatabaseUse()
    #expect(use.hasBeenUsed && !use.isUnused(forMilliseconds: 100, at: 0))
    #expect(!use.hasBeenUsed && !use.isUnused(forMilliseconds: 100, at: 99))
    #expect(use.isUnused(forMilliseconds: 100, at: 100))
    use.note()
    #expect(use.hasBeenUsed && !use.isUnused(forMilliseconds: 100, at: 1_000))
    #expect(!use.isUnused(forMilliseconds: 100, at: 1_050))
    #expect(use.isUnused(forMilliseconds: 100, at: 1_100))
  }
}
