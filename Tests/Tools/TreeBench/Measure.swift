import CMalloc
import Glibc

/// The memory of this process.
struct Memory {
  let allocatedBytes: Int
  let residentBytes: Int

  static var now: Memory {
    malloc_trim(0)
    let info = mallinfo2()
    var pages = 0
    if let file = fopen("/proc/self/statm", "r") {
      var text = [CChar](repeating: 0, count: 100)
      if fgets(&text, 100, file) != nil {
        let parts = text.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
        if parts.count > 1 { pages = Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 }
      }
      fclose(file)
    }
    return Memory(
      allocatedBytes: Int(info.uordblks) + Int(info.hblkhd), residentBytes: pages * sysconf(Int32(_SC_PAGESIZE)))
  }

  func report(since before: Memory, leaves: Int, unit: String = "leaf") {
    let allocated = Double(allocatedBytes - before.allocatedBytes) / Double(leaves)
    let resident = Double(residentBytes - before.residentBytes) / Double(leaves)
    print("  \(rounded(allocated)) bytes a \(unit) allocated, \(rounded(resident)) resident")
  }
}

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

/// Runs `body` and prints the time of the whole run and of each of `count` items.
@discardableResult
func measure<Result>(_ name: String, count: Int, _ body: () -> Result) -> Result {
  var (start, end) = (timespec(), timespec())
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start)
  let result = body()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end)
  let seconds = Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
  let each = rounded(seconds / Double(count) * 1e9)
  print("\(name): \(rounded(seconds)) s, \(each) ns each, \(rounded(Double(count) / seconds / 1e6)) M/s")
  return result
}
