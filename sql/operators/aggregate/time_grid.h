// Windows of equal steps over times or numbers: what interval and roll lay over a column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// A call of a name that only a query understands, its arguments by parameter. `X=ts` and `ts` both give an argument.
class DummyCall {
public:
    // Throws UserError when an argument has no parameter.
    DummyCall(const Node& call, std::vector<std::string> parameters);

    // Null when it was left out.
    NodeRef node(std::string_view parameter) const;
    // The constant, or VOID.
    Value constant(std::string_view parameter, Context& context) const;
    // One of the words, the first when it was left out. Throws UserError for others.
    std::string word(std::string_view parameter, const std::vector<std::string>& words, Context& context) const;

    // Whether the node is a call of that name, and no variable has the name.
    static bool is(const Node& node, std::string_view name, Context& context);

private:
    std::vector<std::string> parameters_;
    std::vector<NodeRef> values_;
};

// How many units of the type's stored integer a number or DURATION counts. Throws UserError, naming the parameter, when
// it is not positive or the type is coarser.
int64_t unitsOf(const Value& span, Type type, std::string_view parameter);

// Returns the origin from which windows are counted: epoch, start, start_day (that of the first value), end, end_day.
int64_t gridOrigin(std::string_view origin, Type type, int64_t first, int64_t last);

// Times and whole numbers as the integers that are stored; others are refused.
std::vector<int64_t> gridNumbers(const Value& column, std::string_view function);
// Back to the type.
Value gridColumn(const std::vector<int64_t>& numbers, Type type);

}  // namespace pelorus
