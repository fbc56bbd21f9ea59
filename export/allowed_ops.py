"""The ops that a published graph may be made of.

All are of TensorFlow's own kernels, which TensorFlow Serving is built with. An op that is not here
was brought in by a change of the code or of TensorFlow: look what it is before adding it.
"""

_NETWORK = {
    *("Conv2D", "BiasAdd", "Relu", "AddV2", "Mul", "MaxPool", "Mean", "MatMul", "Softmax"),
    *("Pad", "PadV2"),
}

_INT8 = {
    *("_FusedQuantizedConv2D", "QuantizedMaxPool", "QuantizeV2", "Dequantize", "Bitcast"),
    "BroadcastTo",
}

_WEIGHTS = {
    *("Const", "VarHandleOp", "VariableV2", "ReadVariableOp", "AssignVariableOp"),
    *(
        "VarIsInitializedOp",
        "RestoreV2",
        "DisableCopyOnRead",
        "SaveV2",
        "MergeV2Checkpoints",
        "ShardedFilename",
    ),
}

_CALLS = {
    *("Placeholder", "Identity", "IdentityN", "NoOp", "PartitionedCall", "StatefulPartitionedCall"),
    *("StatelessCase", "StatelessIf", "If", "StatelessWhile", "While"),
    *("TensorListReserve", "TensorListGetItem", "TensorListSetItem", "TensorListStack"),
    *("TensorListFromTensor", "TensorListLength", "TensorListElementShape"),
}

_PHOTOS = {
    *("DecodeBmp", "DecodeImage", "DecodeJpeg", "ExtractJpegShape", "DecodeRaw", "DecodePaddedRaw"),
    *("ResizeBilinear", "Reverse", "ReverseV2", "Transpose", "DecodeProtoV2"),
    *("StringLength", "StringSplitV2", "Substr", "RegexFullMatch", "StaticRegexFullMatch"),
    *("RegexReplace", "StaticRegexReplace", "StringJoin", "ReduceJoin", "AsString"),
}

_ARITHMETIC = {
    *("BitwiseAnd", "BitwiseOr", "LeftShift", "RightShift"),
    *(
        "Abs",
        "All",
        "Any",
        "ArgMax",
        "ArgMin",
        "Cast",
        "ClipByValue",
        "ConcatV2",
        "Equal",
        "EnsureShape",
    ),
    *("ExpandDims", "Fill", "FloorDiv", "FloorMod", "GatherV2", "Greater", "GreaterEqual", "Less"),
    *("LessEqual", "LogicalAnd", "LogicalNot", "LogicalOr", "Max", "Maximum", "Min", "Minimum"),
    *("NotEqual", "Pack", "Prod", "Range", "RealDiv", "Reshape", "SelectV2", "Select", "Shape"),
    *("Size", "Slice", "Split", "Squeeze", "StridedSlice", "Sub", "Sum", "Tile", "Unpack", "Where"),
    *("ZerosLike", "Assert"),
}

ALLOWED_OPS = frozenset(_NETWORK | _INT8 | _WEIGHTS | _CALLS | _PHOTOS | _ARITHMETIC)
