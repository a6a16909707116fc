import Detection
import Execution
import Features
import Geometry
import Learning

/// Makes sense of a cascade's elements.
struct CascadeReader {
  let source: String

  // MARK: The form of opencv_traincascade

  func newForm(_ cascade: XMLElement) throws -> CascadeParts {
    let stageType = try need(cascade, "stageType")
    guard word(stageType) == "BOOST" else {
      throw failure(stageType, "a kind of stage that is not known", found: word(stageType), expected: "BOOST")
    }
    let featureType = try need(cascade, "featureType")
    let kind = word(featureType)
    guard kind == "HAAR" || kind == "LBP" else {
      throw InputError(
        source: source, line: featureType.line, field: "featureType",
        problem: kind == "HOG" ? "HOG cascades are not read" : "a kind of feature that is not known",
        found: String(kind.prefix(40)), expected: "HAAR or LBP",
        hint: kind == "HOG" ? "OpenCV 4 does not load them either: train the cascade anew on HAAR or LBP" : nil)
    }
    let height = try need(cascade, "height")
    let windowSize = PixelSize(width: try whole(try need(cascade, "width")), height: try whole(height))
    let params = try need(cascade, "featureParams")
    let categories = try params.child("maxCatCount").map { try whole($0) } ?? 0
    guard categories == (kind == "LBP" ? 256 : 0) else {
      throw failure(
        params.child("maxCatCount") ?? params, "another number of categories than its features have",
        found: "\(categories)", expected: kind == "LBP" ? "256" : "0")
    }
    let featureList = try need(cascade, "features")
    let features: CascadeFeatures =
      kind == "LBP"
      ? .blockPatterns(try featureList.children.map(blockPattern)) : .haar(try featureList.children.map(haarFeature))
    let stageList = try need(cascade, "stages")
    if let count = cascade.child("stageNum") { try check(count, stageList.children.count, "stages") }
    var parts = CascadeParts(
      windowSize: windowSize, features: features, stages: [], windowLine: height.line,
      featureLines: featureList.children.map(\.line), stageLines: stageList.children.map(\.line), treeLines: [])
    for stage in stageList.children {
      let trees = try need(stage, "weakClassifiers")
      if let count = stage.child("maxWeakCount") { try check(count, trees.children.count, "trees") }
      parts.treeLines.append(trees.children.map(\.line))
      parts.stages.append(
        CascadeStage(
          trees: try trees.children.map { try tree($0, isCategorical: kind == "LBP") },
          threshold: try float(try need(stage, "stageThreshold")) - OpenCVCascade.thresholdMargin))
    }
    return parts
  }

  /// Nodes as runs of left, right, feature, then a threshold or eight words of a set; branches above 0 lead to nodes,
  /// the others to leaves.
  private func tree(_ element: XMLElement, isCategorical: Bool) throws -> DecisionTree {
    let list = try need(element, "internalNodes")
    let values = try numbers(list)
    let step = isCategorical ? 11 : 4
    guard !values.isEmpty, values.count.isMultiple(of: step) else {
      throw failure(list, "no whole number of nodes", found: "\(values.count) numbers", expected: "\(step) a node")
    }
    func index(_ position: Int) throws -> Int {
      guard let value = Int(exactly: values[position]), abs(value) <= OpenCVCascade.elementLimit else {
        throw failure(list, "no index", found: "\(values[position])", expected: "a whole number")
      }
      return value
    }
    func branch(_ position: Int) throws -> DecisionTree.Branch {
      let value = try index(position)
      return value > 0 ? .node(value) : .leaf(-value)
    }
    var nodes: [DecisionTree.Node] = []
    for first in stride(from: 0, to: values.count, by: step) {
      let split: DecisionTree.Split
      if isCategorical {
        let words = try values[(first + 3)..<(first + 11)].map { value in
          guard let word = Int64(exactly: value), word >= Int64(Int32.min), word <= Int64(UInt32.max) else {
            throw failure(list, "no set of categories", found: "\(value)", expected: "words of 32 bits")
          }
          return UInt32(truncatingIfNeeded: word)
        }
        split = .isIn(DecisionTree.CategorySet(words: words))
      } else {
        split = .below(Float(values[first + 3]))
      }
      nodes.append(
        DecisionTree.Node(
          feature: try index(first + 2), split: split, left: try branch(first), right: try branch(first + 1)))
    }
    return DecisionTree(nodes: nodes, leaves: try numbers(try need(element, "leafValues")).map { Float($0) })
  }

  private func blockPattern(_ element: XMLElement) throws -> BlockPattern {
    let box = try box(try need(element, "rect"), count: 4)
    return BlockPattern(x: box.x, y: box.y, blockWidth: box.width, blockHeight: box.height)
  }

  private func haarFeature(_ element: XMLElement) throws -> HaarFeature {
    let list = try need(element, "rects")
    guard (1...3).contains(list.children.count) else {
      throw failure(list, "an unusable number of boxes", found: "\(list.children.count)", expected: "1 to 3")
    }
    var boxes = try list.children.map { try box($0, count: 5) }
    // OpenCV takes a third box of no weight for none.
    while boxes.count > 1, boxes.last?.weight == 0 { boxes.removeLast() }
    return HaarFeature(boxes: boxes, isTilted: try element.child("tilted").map { try whole($0) != 0 } ?? false)
  }

  private func box(_ element: XMLElement, count: Int) throws -> HaarFeature.WeightedBox {
    let values = try numbers(element)
    guard values.count == count else {
      throw failure(element, "no box", found: "\(values.count) numbers", expected: "\(count)")
    }
    let sides = try values[..<4].map { value in
      guard let side = Int(exactly: value), abs(side) <= 1 << 20 else {
        throw failure(element, "no box of whole pixels", found: "\(value)", expected: "whole numbers")
      }
      return side
    }
    return HaarFeature.WeightedBox(
      x: sides[0], y: sides[1], width: sides[2], height: sides[3], weight: count == 5 ? Float(values[4]) : 1)
  }

  // MARK: The form of opencv_haartraining

  func oldForm(_ cascade: XMLElement) throws -> CascadeParts {
    guard let size = cascade.child("size"), let stageList = cascade.child("stages") else {
      throw InputError(
        source: source, line: cascade.line, field: String(cascade.name.prefix(40)), problem: "is no OpenCV cascade",
        expected: "stageType (opencv_traincascade) or size and stages (opencv_haartraining)")
    }
    let sides = try numbers(size)
    guard sides.count == 2, let width = Int(exactly: sides[0]), let height = Int(exactly: sides[1]) else {
      throw failure(size, "no size of a window", found: "\(size.text.prefix(40))", expected: "width and height")
    }
    var features: [HaarFeature] = []
    var parts = CascadeParts(
      windowSize: PixelSize(width: width, height: height), features: .haar([]), stages: [], windowLine: size.line,
      featureLines: [], stageLines: stageList.children.map(\.line), treeLines: [])
    for stage in stageList.children {
      let trees = try need(stage, "trees")
      parts.treeLines.append(trees.children.map(\.line))
      parts.stages.append(
        CascadeStage(
          trees: try trees.children.map { try oldTree($0, &features, &parts.featureLines) },
          threshold: try float(try need(stage, "stage_threshold")) - OpenCVCascade.thresholdMargin))
    }
    parts.features = .haar(features)
    return parts
  }

  private func oldTree(
    _ element: XMLElement, _ features: inout [HaarFeature], _ lines: inout [Int]
  ) throws -> DecisionTree {
    var tree = DecisionTree(nodes: [], leaves: [])
    for node in element.children {
      func branch(_ value: String, _ other: String) throws -> DecisionTree.Branch {
        if let leaf = node.child(value) {
          tree.leaves.append(try float(leaf))
          return .leaf(tree.leaves.count - 1)
        }
        return .node(try whole(try need(node, other)))
      }
      let feature = try need(node, "feature")
      features.append(try haarFeature(feature))
      lines.append(feature.line)
      let left = try branch("left_val", "left_node")
      let right = try branch("right_val", "right_node")
      tree.nodes.append(
        DecisionTree.Node(
          feature: features.count - 1, split: .below(try float(try need(node, "threshold"))), left: left, right: right))
    }
    return tree
  }

  // MARK: Pieces

  private func need(_ element: XMLElement, _ name: String) throws -> XMLElement {
    guard let child = element.child(name) else {
      throw InputError(
        source: source, line: element.line, field: String(element.name.prefix(40)), problem: "has no <\(name)>")
    }
    return child
  }

  private func failure(_ element: XMLElement, _ problem: String, found: String, expected: String) -> InputError {
    InputError(
      source: source, line: element.line, field: String(element.name.prefix(40)), problem: problem,
      found: String(found.prefix(60)), expected: expected)
  }

  private func word(_ element: XMLElement) -> String {
    element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func numbers(_ element: XMLElement) throws -> [Double] {
    try element.text.split(whereSeparator: \.isWhitespace).map { text in
      // "3." and "-1." are numbers to OpenCV; "0x18", which Swift reads as 24, is none.
      guard text.utf8.allSatisfy(CascadeReader.isOfDecimal),
        let value = Double(text.last == "." ? text.dropLast() : text),
        value.isFinite
      else {
        throw failure(element, "no finite number", found: "\"\(text)\"", expected: "decimal numbers")
      }
      return value
    }
  }

  private static func isOfDecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private func single(_ element: XMLElement) throws -> Double {
    let values = try numbers(element)
    guard values.count == 1 else {
      throw failure(element, "not one number", found: "\(values.count)", expected: "one number")
    }
    return values[0]
  }

  private func float(_ element: XMLElement) throws -> Float {
    let value = Float(try single(element))
    guard value.isFinite else {
      throw failure(element, "a number beyond single precision", found: element.text, expected: "a finite number")
    }
    return value
  }

  private func whole(_ element: XMLElement) throws -> Int {
    guard let value = Int(exactly: try single(element)), abs(value) <= Int(Int32.max) else {
      throw failure(element, "no whole number of 32 bits", found: element.text, expected: "a whole number")
    }
    return value
  }

  private func check(_ element: XMLElement, _ count: Int, _ what: String) throws {
    let said = try whole(element)
    guard said == count else {
      throw failure(element, "another number of \(what) than there are", found: "\(said)", expected: "\(count)")
    }
  }
}
