import Execution

/// Seeds that property tests run over. A failing test prints its seed, so that one case can be run again.
public let testSeeds: [UInt64] = [1, 2, 3, 5, 8, 13, 21, 34]
