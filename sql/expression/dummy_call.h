// Arguments of names that only a query understands: interval, roll, partition.
#pragma once

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

}  // namespace pelorus
