#include "interpreter/bytecode/region.h"

#include <algorithm>

#include "common/error.h"
#include "interpreter/expression/batch_program.h"
#include "interpreter/expression/bind.h"
#include "runtime/value/vector.h"

namespace pelorus {

// The minimum length for which a program saves more than it costs.
constexpr int64_t kLongVector = 512;

static bool isColumn(const Value& leaf) {
    return leaf.isTypedVector() && leaf.form() == Form::Vector && (isNumeric(leaf.type()) || isTemporal(leaf.type()));
}

static bool isLong(std::span<const Value* const> leaves) {
    int64_t rows = -1;
    for (const Value* leaf : leaves) {
        if (leaf->isScalar()) continue;
        // Different lengths are an error, which the operator that meets it reports.
        if (!isColumn(*leaf) || (rows >= 0 && leaf->size() != rows)) return false;
        rows = leaf->size();
    }
    return rows >= kLongVector;
}

static std::string typesOf(std::span<const Value* const> leaves) {
    std::string types;
    for (const Value* leaf : leaves) {
        types += static_cast<char>(leaf->type());
        types += leaf->isScalar() ? static_cast<char>(leaf->extra()) : '\xff';
    }
    return types;
}

std::shared_ptr<const BatchProgram> RegionPrograms::make(std::span<const Value* const> leaves, Context& context) const {
    std::vector<BoundRef> parts;
    std::vector<int> columns;
    int parameters = 0;
    for (const Value* leaf : leaves) {
        parts.push_back(leaf->isScalar() ? boundParameter(parameters++, *leaf)
                                         : boundColumn(static_cast<int>(columns.size()), leaf->type()));
        if (!leaf->isScalar()) columns.push_back(static_cast<int>(columns.size()));
        if (!parts.back()) return nullptr;
    }
    const BoundRef expression = bindRegion(*expression_, parts, context);
    if (!expression->isElementwise) return nullptr;
    try {
        auto program = std::make_shared<const BatchProgram>(expression, columns, static_cast<size_t>(parameters));
        return program->isOnePass() ? program : nullptr;
    } catch (const UserError&) {
        return nullptr;  // there is no such conversion: the instructions report the error at its place
    }
}

std::shared_ptr<const BatchProgram> RegionPrograms::programFor(std::span<const Value* const> leaves, Context& context) {
    const std::string types = typesOf(leaves);
    const std::shared_ptr<const List> list = known_.load();
    if (list) {
        for (const Known& known : *list) {
            if (known.types == types) return known.program;
        }
    }
    auto grown = std::make_shared<List>();
    grown->push_back({types, make(leaves, context)});
    if (list) grown->insert(grown->end(), list->begin(), list->begin() + std::min(list->size(), kMaxPrograms - 1));
    // When two threads store at once, one forgets the program that the other has made.
    known_.store(grown);
    return grown->front().program;
}

bool RegionPrograms::run(std::span<const Value* const> leaves, Context& context, Value& result) {
    if (!isLong(leaves)) return false;
    const std::shared_ptr<const BatchProgram> program = programFor(leaves, context);
    if (!program) return false;
    std::vector<Value> columns, parameters;
    for (const Value* leaf : leaves) (leaf->isScalar() ? parameters : columns).push_back(*leaf);
    result = program->run(context, columns, columns[0].size(), parameters);
    return true;
}

}  // namespace pelorus
