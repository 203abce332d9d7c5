// Windows of equal steps over times or numbers, for interval and roll.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// A call of a name that only a query understands, its arguments by parameter. `X=ts` and `ts` are both arguments.
class DummyCall {
public:
    // Throws UserError when an argument has no parameter.
    DummyCall(const Node& call, std::vector<std::string> parameters);

    // Returns null for an omitted argument.
    NodeRef node(std::string_view parameter) const;
    // Returns the constant, or VOID.
    Value constant(std::string_view parameter, Context& context) const;
    // Returns one of the words, the first for an omitted argument. Throws UserError for others.
    std::string word(std::string_view parameter, const std::vector<std::string>& words, Context& context) const;

    // Whether the node is a call of that name, and no variable has the name.
    static bool is(const Node& node, std::string_view name, Context& context);

private:
    std::vector<std::string> parameters_;
    std::vector<NodeRef> values_;
};

// Converts a number or DURATION to units of the type's stored integer. Throws UserError, naming the parameter, when it
// is not positive or the type is coarser.
int64_t unitsOf(const Value& span, Type type, std::string_view parameter);

// Returns the origin from which windows are counted: epoch, start, start_day (that of the first value), end, end_day.
int64_t gridOrigin(std::string_view origin, Type type, int64_t first, int64_t last);

// Converts times and integers to stored integers; others are refused.
std::vector<int64_t> gridNumbers(const Value& column, std::string_view function);
// Converts back to the type.
Value gridColumn(const std::vector<int64_t>& numbers, Type type);

}  // namespace pelorus
