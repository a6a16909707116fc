extension HOGFeatures: Codable {
  private enum CodingKeys: String, CodingKey {
    case dalalTriggs
    case dalalTriggsStack
    case felzenszwalb
    case felzenszwalbWithPatterns
  }

  /// Reads an object with one key, the variant's name, whose value holds its options.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let hog = try container.decodeIfPresent(DalalTriggsHOG.self, forKey: .dalalTriggs) {
      self = .dalalTriggs(hog)
    } else if let stack = try container.decodeIfPresent(DalalTriggsStack.self, forKey: .dalalTriggsStack) {
      self = .dalalTriggsStack(stack)
    } else if let hog = try container.decodeIfPresent(FelzenszwalbHOG.self, forKey: .felzenszwalb) {
      self = .felzenszwalb(hog)
    } else if let hog = try container.decodeIfPresent(PatternedHOG.self, forKey: .felzenszwalbWithPatterns) {
      self = .felzenszwalbWithPatterns(hog)
    } else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription:
            "HOG features are \"dalalTriggs\", \"dalalTriggsStack\", \"felzenszwalb\" or \"felzenszwalbWithPatterns\""))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .dalalTriggs(let hog): try container.encode(hog, forKey: .dalalTriggs)
    case .dalalTriggsStack(let stack): try container.encode(stack, forKey: .dalalTriggsStack)
    case .felzenszwalb(let hog): try container.encode(hog, forKey: .felzenszwalb)
    case .felzenszwalbWithPatterns(let hog): try container.encode(hog, forKey: .felzenszwalbWithPatterns)
    }
  }
}
