// A Region of a script is a tree of operators and elementwise calls over values that other code leaves in registers.
// Over long vectors it is computed as one program, strip by strip; over scalars and short vectors its instructions run.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interpreter/bytecode/bytecode.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

class BatchProgram;

// The programs of one region for the leaf types that it was run with most recently. Thread-safe.
class RegionPrograms {
public:
    // `expression` is the tree, with leaves named "0", "1" ….
    explicit RegionPrograms(NodeRef expression) : expression_(std::move(expression)) {}

    // Computes the region if a leaf is a long vector and there is a program for the types of the leaves. Returns false
    // otherwise, and does nothing. Throws what the program throws; the caller then runs the instructions, which report
    // the error at its place.
    bool run(std::span<const Value* const> leaves, Context& context, Value& result);

private:
    static constexpr size_t kMaxPrograms = 4;
    struct Known {
        std::string types;
        std::shared_ptr<const BatchProgram> program;  // null: there is no program for these types
    };
    using List = std::vector<Known>;

    std::shared_ptr<const BatchProgram> programFor(std::span<const Value* const> leaves, Context& context);
    std::shared_ptr<const BatchProgram> make(std::span<const Value* const> leaves, Context& context) const;

    const NodeRef expression_;
    std::atomic<std::shared_ptr<const List>> known_;  // most recently used first
};

// A region in the bytecode.
struct Region {
    std::vector<Operand> operands;  // registers of the leaves
    // The range of instructions that compute the region operator by operator.
    int32_t begin = 0, end = 0;
    Operand target = 0;
    std::shared_ptr<RegionPrograms> programs;
};

}  // namespace pelorus
