// Measures proofs of exposed data: all questions about each rules file of a folder, in rounds.
//
//     ExposureBench FOLDER [rounds]
//
// The published figures are for the folder Tests/HearthExposureTests/Corpus/Rules. Reading and compiling the files is
// not counted.
import Foundation
import HearthExposure
import HearthRules

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  print("usage: ExposureBench FOLDER [rounds]")
  exit(64)
}
let names = try FileManager.default.contentsOfDirectory(atPath: arguments[1]).sorted()
let files = try names.map { name in
  try RuleSet.compile(String(contentsOfFile: arguments[1] + "/" + name, encoding: .utf8), keepsExpressions: true)
}
let clock = ContinuousClock()
for _ in 0..<(arguments.count > 2 ? Int(arguments[2]) ?? 5 : 5) {
  var (closed, open, undecided) = (0, 0, 0)
  let time = clock.measure {
    for rules in files {
      for entry in Exposure(of: rules, nowMilliseconds: 1_700_000_000_000).entries() {
        switch entry.verdict {
        case .closed: closed += 1
        case .open: open += 1
        case .undecided: undecided += 1
        }
      }
    }
  }
  let count = closed + open + undecided
  print(
    "\(files.count) files, \(count) questions: \(closed) closed, \(open) open, \(undecided) undecided;",
    "\(time / max(1, count)) a question")
}
