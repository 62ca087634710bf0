import Glibc
import Synchronization

/// libFuzzer's loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What is fuzzed. libFuzzer calls a function without a context.
private let chosen = Mutex<Parser?>(nil)

/// `PARSER=NAME hearth-fuzz` and what libFuzzer takes, which starts itself again with the same arguments; without a name,
/// the names. It is built with `HEARTH_FUZZ` in the environment alone: see `make fuzz`.
@main struct HearthFuzz {
  static func main() {
    guard let name = getenv("PARSER").map({ String(cString: $0) }) else {
      for parser in Parser.all { print(parser.name) }
      return
    }
    // Nothing can be fuzzed then; whoever started the program reads why.
    guard let parser = Parser.named(name) else { fatalError("there is no parser \(name)") }
    chosen.withLock { $0 = parser }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runDriver(&count, &arguments) { data, size in
      do {
        try chosen.withLock { $0 }?.read(Array(UnsafeBufferPointer(start: data, count: size)))
      } catch {
        // A crash is how libFuzzer is told that it found something, and keeps the input.
        fatalError("\(error)")
      }
      return 0
    }
  }
}
