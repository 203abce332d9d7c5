// Values on their way into a column: converted as PostgreSQL's assignments are, and checked against what the column
// takes.
#pragma once

#include <string>

#include "postgres/types/declared_type.h"
#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

// The column that a value is assigned to.
struct AssignmentTarget {
    std::string table, column;
    DeclaredType declared;
    bool hasEmptyTexts = false;  // of a row table: '' is no NULL there
};

// Returns the value in the type of the column; a text has any length still. Throws SqlError 42804 where the types do
// not fit, 22P02 and the like for a literal that is no value of the type.
Typed assigned(Typed value, const AssignmentTarget& target, const ConversionHost& host);

// Returns code that checks what `assigned` left open, and gives what the column keeps: texts that are short enough,
// NULL for '' unless the table has both, no NULL where the column must not have it.
NodeRef storedCode(const Typed& value, const AssignmentTarget& target);

}  // namespace pelorus::postgres
