// Bound is an expression over columns after binding: names are resolved, functions found, and types determined before
// any row is read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/registry/registry.h"
#include "runtime/registry/type_rules.h"

namespace pelorus {

struct Bound;
// Equal parts of an expression share one node.
using BoundRef = std::shared_ptr<const Bound>;

// The code that a whole expression was bound from: it reports errors, is shown, and sent to other nodes. Immutable.
struct ExpressionCode {
    NodeRef code;
    std::vector<int> columns;        // numbers of the columns that it reads, in the order of their first use
    std::vector<std::string> names;  // their names in the code
};

// A node of a bound expression. Immutable; threads share it.
struct Bound {
    enum class Kind : uint8_t {
        Column,     // number `column` of the schema
        Constant,   // `value`: a literal, or the value of a part without columns
        Parameter,  // scalar number `column` of those passed to a run
        Operation,  // `op` of one or two parts
        Call,       // call of `function`
        Select,     // condition, then, otherwise
        Opaque,     // code that only a run can type; it runs over whole columns
    };
    Kind kind = Kind::Constant;
    ResultType type;            // type of the values for rows; unknown only for a constant that is no scalar
    bool isElementwise = true;  // element i depends on row i only, and nothing else happens
    bool isScalar = false;      // one value for all rows: it depends on parameters and constants alone
    int column = -1;
    Operator op = Operator::Add;
    const BuiltinFunction* function = nullptr;
    Value value;
    std::vector<BoundRef> parts;                  // an omitted argument of a call is a constant that `isOmitted`
    std::shared_ptr<const ExpressionCode> whole;  // of a whole expression; null for its parts

    // Returns the number of a plain column, or -1.
    int plainColumn() const { return kind == Kind::Column ? column : -1; }
};

inline bool isScalarConstant(const Bound& part) {
    return part.kind == Bound::Kind::Constant && part.isScalar;
}

// Computes an operation, call or choice for these values of its parts. Throws what operators and functions throw.
Value computed(const Bound& part, std::vector<Value> values, Context& context);

}  // namespace pelorus
