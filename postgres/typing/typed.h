// Expressions with the types of both sides: PostgreSQL's, which decides what operators mean, and the engine's, in which
// values are kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/types/oids.h"
#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {
struct ColumnSchema;
}

namespace pelorus::postgres {

// A translated expression. One whose type is `unknown` is a literal in quotes, NULL, or a parameter without a type:
// what is next to it decides.
struct Typed {
    NodeRef code;
    Oid type = oid::kUnknown;
    int32_t modifier = -1;
    Type kept = Type::String;
    int scale = 0;  // of decimals
    bool isNullable = true;
    bool isEmptyNull = false;            // computed of columns of tables in which '' is NULL
    int place = -1;                      // the byte of the statement's string, for errors
    std::optional<Value> constant;       // of the kept type; VOID for NULL
    std::optional<std::string> literal;  // what stood in quotes, while the type is unknown
    int parameter = 0;                   // the number of a parameter whose type is not yet decided
    std::string label;                   // as which a select list shows it

    bool isUnknown() const { return type == oid::kUnknown; }
    bool isNullConstant() const { return constant && constant->isVoid(); }
};

// Builders of code. Names of functions that begin with "pg" are those of postgres/functions.
NodeRef constantNode(const Value& value);
NodeRef nameNode(std::string name);
NodeRef columnNode(const std::string& table, const std::string& column);
NodeRef callNode(std::string function, NodeList arguments);
NodeRef binaryNode(Operator op, NodeRef left, NodeRef right);
NodeRef notNode(NodeRef operand);
NodeRef isNullNode(NodeRef operand);
NodeRef isValidNode(NodeRef operand);

// Returns code as its source, by which equal expressions are known.
std::string sourceOf(const NodeRef& code);

// Returns NULL of the type in which the expression's values are kept.
NodeRef nullNodeOf(const Typed& like);

// Makes expressions of types that are kept as PostgreSQL's type says.
Typed typedConstant(Value value, Oid type, int32_t modifier = -1);
Typed typedNull();
Typed typedCode(NodeRef code, Oid type, int32_t modifier = -1, int place = -1);
// Makes an expression of a decimal of this scale, which is shown with all of its digits, or as the modifier says.
Typed typedNumeric(NodeRef code, int scale, int place = -1, int32_t modifier = -1);

// Makes an expression of a column that its table declares so.
Typed columnOfType(const ColumnSchema& column, ShownType shown, NodeRef code);

// Classes of types that operators and functions choose by.
bool isIntegerType(Oid type);
bool isNumberType(Oid type);  // integers, numeric, floats
bool isFloatType(Oid type);
bool isTextType(Oid type);     // string, varchar, char, name, unknown
bool isInstantType(Oid type);  // date, timestamp, timestamptz
bool isOidType(Oid type);      // oid, regclass and the like
// Returns how a type is named in errors.
std::string displayOf(const Typed& typed);

}  // namespace pelorus::postgres
