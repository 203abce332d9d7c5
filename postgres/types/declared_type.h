// The types that clients declare columns with: in which type of the engine they are kept, and how the catalog remembers
// them.
#pragma once

#include <string>
#include <string_view>

#include "postgres/types/oids.h"
#include "runtime/table/table.h"

namespace pelorus::postgres {

// A column as its table declares it.
struct DeclaredType {
    ShownType shown;
    // What follows is checked where rows are written through PostgreSQL's protocol.
    bool isRequired = false;  // not null
    int keyPlace = 0;         // in the primary key, from 1; 0: it has no part in it

    bool operator==(const DeclaredType&) const = default;
};

// The type in which a declared one is kept, with the scale of decimals.
struct KeptType {
    Type type = Type::Void;
    uint8_t scale = 0;
};

// Returns the kept type. Throws SqlError 0A000 for a type that no column has.
KeptType keptTypeOf(ShownType declared, int place);

// Returns the declaration as the catalog's entry has it. In files: never change.
std::string savedForm(const DeclaredType& declared);
// Returns the declaration of a column from its saved form. Where that is empty, or the column has become one of another
// type since, the type follows from the column's own.
DeclaredType declaredTypeOf(const ColumnSchema& column, std::string_view saved);

}  // namespace pelorus::postgres
