import Learning

extension CascadeTrainerOptions {
  /// How some stages in a row are trained; what is `nil` is as for all.
  ///
  /// Every window meets the first stages, so that their trees are what a scan costs: let them have few and pass much. The
  /// last stage's sum is the score that detections are ranked by: let it have many.
  public struct StageRule: Hashable, Sendable, Codable {
    /// How many stages it is of.
    public var stages: Int
    /// The share of positives that each must let pass.
    public var hitRate: Double?
    /// The share of negatives that each may let pass.
    public var falseAlarmRate: Double?
    /// The most trees of each.
    public var maximumTreeCount: Int?

    public init(stages: Int = 1, hitRate: Double? = nil, falseAlarmRate: Double? = nil, maximumTreeCount: Int? = nil) {
      self.stages = stages
      self.hitRate = hitRate
      self.falseAlarmRate = falseAlarmRate
      self.maximumTreeCount = maximumTreeCount
    }

    /// Reads an object; without `stages` it is of one.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        stages: try values.decodeIfPresent(Int.self, forKey: .stages) ?? 1,
        hitRate: try values.decodeIfPresent(Double.self, forKey: .hitRate),
        falseAlarmRate: try values.decodeIfPresent(Double.self, forKey: .falseAlarmRate),
        maximumTreeCount: try values.decodeIfPresent(Int.self, forKey: .maximumTreeCount))
    }
  }

  /// What a stage is trained to.
  struct StageGoal: Hashable, Sendable {
    var hitRate: Double
    var falseAlarmRate: Double
    var maximumTreeCount: Int
  }

  /// The boosting's options with the number of trees that any stage may have.
  var boostingOfAnyStage: BoostingOptions {
    var result = boosting
    result.maximumTreeCount = max(
      boosting.maximumTreeCount, (stagePlan ?? []).compactMap(\.maximumTreeCount).max() ?? 0)
    return result
  }

  /// - Parameter number: counted from 1.
  func rule(ofStage number: Int) -> StageGoal {
    var goal = StageGoal(
      hitRate: hitRate, falseAlarmRate: falseAlarmRate, maximumTreeCount: boosting.maximumTreeCount)
    var last = 0
    for rule in stagePlan ?? [] {
      last += rule.stages
      guard number <= last else { continue }
      goal.hitRate = rule.hitRate ?? goal.hitRate
      goal.falseAlarmRate = rule.falseAlarmRate ?? goal.falseAlarmRate
      goal.maximumTreeCount = rule.maximumTreeCount ?? goal.maximumTreeCount
      break
    }
    return goal
  }
}
