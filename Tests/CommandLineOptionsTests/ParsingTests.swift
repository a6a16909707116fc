import CommandLineOptions
import Testing

struct ParsingTests {
  let command = CommandSpecification(
    name: "train", summary: "Train.", operands: .any("FILE"),
    options: [
      .value("--rounds", "N", short: "-r", help: "Rounds.", default: "3"),
      .value("--kind", "WORD", help: "Kind.", choices: ["hinge", "squared"]),
      .list("--data", "REF", help: "Data."),
      .flag("--mirror", help: "Mirror."),
    ])

  @Test func allFormsAreRead() throws {
    let options = try command.parse(
      ["--rounds=5", "--data", "a:b", "x", "--data=c d", "--mirror", "--kind", "hinge", "--", "--not-an-option"])
    #expect(try options.integer("--rounds", in: 1...9) == 5)
    #expect(options.list("--data") == ["a:b", "c d"])
    #expect(options.flag("--mirror"))
    #expect(options.text("--kind") == "hinge")
    #expect(options.operands == ["x", "--not-an-option"])
  }

  @Test func defaultsHoldAndNegativeNumbersAreValues() throws {
    let options = try command.parse(["-r", "-3", "-.5"])
    #expect(try options.integer("--rounds") == -3)
    #expect(options.operands == ["-.5"])
    let plain = try command.parse([])
    #expect(try plain.integer("--rounds") == 3)
    #expect(plain.text("--kind") == nil)
    #expect(!plain.isGiven("--rounds"))
  }

  @Test(arguments: [
    (["--round", "1"], "did you mean --rounds?"),
    (["--rounds"], "needs a value"),
    (["--rounds", "--mirror"], "found the option --mirror"),
    (["--rounds", "1", "--rounds", "2"], "given twice"),
    (["--kind", "cubic"], "expected one of hinge, squared"),
    (["--mirror=yes"], "takes no value"),
    (["-x"], "unknown option -x"),
  ])
  func wrongLinesAreNamed(arguments: [String], text: String) {
    #expect { try command.parse(arguments) } throws: { "\($0)".contains(text) }
  }

  @Test(arguments: ["three", "1e3", " ", "9999999999999999999999"]) func numbersAreChecked(text: String) throws {
    let options = try command.parse(["--rounds", text])
    #expect { try options.integer("--rounds") } throws: { "\($0)".contains("--rounds") && "\($0)".contains(text) }
  }

  @Test(arguments: ["nan", "inf", "1e999", "x"]) func numbersAreFinite(text: String) throws {
    let options = try command.parse(["--rounds", text])
    #expect(throws: UsageError.self) { try options.number("--rounds") }
  }

  @Test func operandCountsAreChecked() throws {
    let one = CommandSpecification(name: "run", summary: "Run.", operands: .one("DIR"))
    #expect { try one.parse([]) } throws: { "\($0)".contains("DIR is missing") }
    #expect { try one.parse(["a", "b"]) } throws: { "\($0)".contains("one DIR expected, found 2") }
    #expect(try one.parse(["a"]).operands == ["a"])
  }
}
