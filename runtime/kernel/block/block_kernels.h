// The inner loops of elementwise operators: one kernel per operation and lane type, over blocks that stay in cache.
//
// NULL travels in-band: a kernel reads sentinels and writes them, so the output under a NULL is always the sentinel of
// the lane. docs/decisions/001-null-sentinels-in-kernels.md has the measurement behind that.
//
// This source is compiled for x86-64-v2, v3 and v4; the table for this machine is picked once. Results are the same to
// the bit on all of them: no fused multiply-add, no reassociation.
#pragma once

#include <cstdint>

#include "common/type_table.h"

namespace pelorus {

enum class Lane : uint8_t { I8, I16, I32, I64, F32, F64 };
constexpr int kLanes = 6;

// Integers wrap; Div and Mod floor, and are NULL for a zero divisor. On floats Div is the quotient. A float result that
// is not finite though both operands are is NULL. Comparisons write BOOL values and take NULL as the smallest value.
// Min and Max ignore a NULL on one side.
enum class BlockOp : uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Lt,
    Le,
    Eq,
    Gt,
    Ge,
    Ne,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Min,
    Max,
};
constexpr int kBlockOps = 18;

struct BlockKernels {
    using Binary = void (*)(const void* a, const void* b, void* out, int64_t n);
    using Unary = void (*)(const void* a, void* out, int64_t n);
    using Select = void (*)(const int8_t* condition, const void* a, const void* b, void* out, int64_t n);

    Binary binary[kBlockOps][kLanes];  // nullptr where the lane has no such operation
    Unary negate[kLanes];
    Unary absolute[kLanes];
    Unary isNull[kLanes];  // writes BOOL values
    Unary convert[kLanes]
                 [kLanes];  // floats round half away from zero; out of range is NULL; wider integers keep low bits
    Unary toBool[kLanes];   // non-zero is true, NULL stays
    Select select[kLanes];  // NULL where the condition is
    Binary logicalAnd, logicalOr, logicalXor;  // on BOOL values: NULL rules of the language
    Unary logicalNot;
};

const BlockKernels& blockKernels();

constexpr Lane laneOf(Storage storage) {
    switch (storage) {
        case Storage::Int8:
            return Lane::I8;
        case Storage::Int16:
            return Lane::I16;
        case Storage::Int32:
            return Lane::I32;
        case Storage::Float32:
            return Lane::F32;
        case Storage::Float64:
            return Lane::F64;
        default:
            return Lane::I64;
    }
}
constexpr Lane laneOf(Type type) {
    return laneOf(storageOf(type));
}

}  // namespace pelorus
