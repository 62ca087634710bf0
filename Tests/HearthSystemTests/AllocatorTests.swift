import Glibc
import Testing

@testable import HearthSystem

@Suite struct AllocatorTests {
  @Test("Large blocks are mapped separately, also after a larger one was freed, and small ones are not")
  func largeBlocks() {
    Allocator.configure()
    free(malloc(32 << 20))
    func mappedCount(_ bytes: Int) -> Int {
      let blocks = (0..<200).compactMap { _ in malloc(bytes) as UnsafeMutableRawPointer? }
      defer { for block in blocks { free(block) } }
      // In glibc the word before a block has its size and three flags; the second flag says that the block is mapped.
      return blocks.count { $0.load(fromByteOffset: -8, as: UInt.self) & 2 != 0 }
    }
    // The first block may lie in a free area of that size.
    #expect(mappedCount(2 * Allocator.mappedBytesMin) > 100)
    Allocator.releaseFreeMemory()
    #expect(mappedCount(2 * Allocator.mappedBytesMin) > 100, "giving back changes nothing about it")
    #expect(mappedCount(Allocator.mappedBytesMin / 4) == 0)
  }
}
