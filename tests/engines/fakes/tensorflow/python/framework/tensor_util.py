def MakeNdarray(proto):
    return proto
