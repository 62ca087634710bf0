import Glibc
import Synchronization

/// Runs libFuzzer's loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The fuzzed parser, which is global because libFuzzer calls a function without a context.
private let chosen = Mutex<Parser?>(nil)

/// The program of the fuzzer: `PARSER=NAME hearth-fuzz` and libFuzzer's arguments, with which libFuzzer restarts the
/// program; without a name it lists the names. It is built only with `HEARTH_FUZZ` in the environment: see `make fuzz`.
@main struct HearthFuzz {
  static func main() {
    guard let name = getenv("PARSER").map({ String(cString: $0) }) else {
      for parser in Parser.all { print(parser.name) }
      return
    }
    // Without a parser there is nothing to fuzz; the trap's message tells the developer why.
    guard let parser = Parser.named(name) else { fatalError("there is no parser \(name)") }
    chosen.withLock { $0 = parser }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runDriver(&count, &arguments) { data, size in
      do {
        try chosen.withLock { $0 }?.read(Array(UnsafeBufferPointer(start: data, count: size)))
      } catch {
        // A crash tells libFuzzer to keep the input.
        fatalError("\(error)")
      }
      return 0
    }
  }
}
