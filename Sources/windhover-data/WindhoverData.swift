import CommandLineOptions
import DatasetReaders
import Execution

/// The program windhover-data: what is in a data set, what is wrong with it, samples made of it, and where to get one.
@main
struct WindhoverData {
  static func main() {
    Program(
      name: "windhover-data", summary: "check, describe, convert and fetch data sets",
      commands: [
        CheckCommand.command, SummaryCommand.command, SamplesCommand.command, ListCommand.command, FetchCommand.command,
      ]
    ).main()
  }

  /// What all commands that read data say of the names of data sets.
  static let referenceHelp = """
    A data set is named NAME/SPLIT (a manifest's; the files are found under DATASETS_DIR or in the cache
    that fetch fills; "windhover-data list" shows them all) or FORMAT:PATH:
      wider:DIR  inria:DIR  cmu-mit:DIR  ibug:DIR  voc:DIR  folder:DIR
      imglab:FILE.xml  vec:FILE.vec  info:FILE  bg:FILE  list:FILE  jsonl:FILE
    Settings follow as ?key=value&key=value, for example ibug:DIR?scale=1.2. All formats take
    split=FILE, exclude=FILE (lists of image names), keep=K/N, leave=K/N (parts by photo) and labels=a,b.
    """
}

extension ParsedOptions {
  /// The data sets that the operands name, each loaded.
  func datasets() throws -> [Dataset] {
    // All are read as names before the first is loaded: a slip in the last one shows at once.
    let references = try operands.map { try DatasetReference.parse($0) }
    return try references.map { try Dataset.load($0) }
  }
}
