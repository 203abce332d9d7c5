// Conversions between types, as PostgreSQL makes them: by themselves, into a column, and by a written cast.
#pragma once

#include <functional>

#include "postgres/typing/typed.h"

namespace pelorus::postgres {

enum class Conversion : uint8_t {
    Implicit,    // in expressions and arguments
    Assignment,  // into a column
    Explicit,    // cast(x as type), x::type
};

// What conversions ask of the statement.
struct ConversionHost {
    // Decides the type of parameter $n. Throws SqlError when it was decided otherwise.
    std::function<void(int number, Oid type)> decideParameter;
    // Returns the number of what a name of a table, type or role means as regclass and the like.
    std::function<int64_t(Oid type, const std::string& name)> numberOfName;
    // Returns code for the name of such a number.
    std::function<NodeRef(NodeRef number, Oid type)> nameOfNumber;
    // Returns code for the number of a name that is computed.
    std::function<NodeRef(NodeRef name, Oid type)> numberOfText = nullptr;
};

// Returns the expression as a value of the type. Literals and NULL are converted at once. Throws SqlError: 42846 when
// there is no such conversion, 22P02 for a literal that is no value of the type.
Typed convert(Typed value, Oid type, int32_t modifier, Conversion how, const ConversionHost& host);

// Returns whether a value of one type becomes the other by itself.
bool convertsImplicitly(Oid from, Oid to);

// Returns the type that holds the values of both, as of the branches of case; 0 when there is none.
Oid commonType(Oid a, Oid b);

// Returns the literal of a value in quotes as a constant. Throws SqlError 22P02 and the like.
Value parseLiteral(std::string_view text, Oid type, int32_t modifier, int place);

}  // namespace pelorus::postgres
