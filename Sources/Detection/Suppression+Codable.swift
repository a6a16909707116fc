import Execution

extension Suppression {
  private enum CodingKeys: String, CodingKey {
    case method
  }

  private enum Method: String, NamedChoice {
    case none
    case greedy
    case groupRectangles
  }

  /// Reads `{"method": "greedy", "overlap": 0.4, …}`, `{"method": "groupRectangles", …}` or `{"method": "none"}`; what is
  /// left out takes its default.
  public init(from decoder: any Decoder) throws {
    switch try decoder.container(keyedBy: CodingKeys.self).decode(Method.self, forKey: .method) {
    case .none: self = .none
    case .greedy: self = .greedy(try GreedySuppression(from: decoder))
    case .groupRectangles: self = .groupRectangles(try RectangleGrouping(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .none: try container.encode(Method.none, forKey: .method)
    case .greedy(let greedy):
      try container.encode(Method.greedy, forKey: .method)
      try greedy.encode(to: encoder)
    case .groupRectangles(let grouping):
      try container.encode(Method.groupRectangles, forKey: .method)
      try grouping.encode(to: encoder)
    }
  }
}

extension GreedySuppression {
  private enum CodingKeys: String, CodingKey {
    case overlap, measure, acrossLabels, accumulation, accumulationFloor
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    overlap = try values.decodeIfPresent(Double.self, forKey: .overlap) ?? overlap
    measure = try values.decodeIfPresent(Measure.self, forKey: .measure) ?? measure
    acrossLabels = try values.decodeIfPresent(Double.self, forKey: .acrossLabels)
    accumulation = try values.decodeIfPresent(Double.self, forKey: .accumulation) ?? accumulation
    accumulationFloor = try values.decodeIfPresent(Double.self, forKey: .accumulationFloor)
  }
}

extension RectangleGrouping {
  private enum CodingKeys: String, CodingKey {
    case threshold, epsilon
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    threshold = try values.decodeIfPresent(Int.self, forKey: .threshold) ?? threshold
    epsilon = try values.decodeIfPresent(Double.self, forKey: .epsilon) ?? epsilon
  }
}
