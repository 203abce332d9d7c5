// Declaration of a built-in function's properties, in the one entry that also carries its documentation.
//
// Planner, compiler and remote calls read this and nothing else: no function is known by its name outside of its
// registration. Every property that is not declared is assumed to be the worst, so a declaration can only be missing,
// not too hopeful, as long as tests/unit/process/declarations_test.cpp holds: it compares every declaration with the
// behaviour of calls.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/registry/parameters.h"
#include "runtime/registry/scalar_form.h"
#include "runtime/registry/type_rules.h"

namespace pelorus {

class GroupedState;
class RollingStates;
class Value;

// Decides form and length of the result.
enum class FunctionKind : uint8_t {
    Elementwise,  // element i depends on element i of the arguments only; scalars repeat
    Aggregate,    // vectors in, one value out; SQL groups with it
    Window,       // as many elements as its first argument, each computed from adjacent rows
    RowWise,      // one element for each row of several columns, as rowSum
    Whole,        // anything else
    HigherOrder,  // calls a function that it is given
    Role,         // only a query can do it
};

enum class Effect : uint8_t {
    Undeclared,  // counts as Writes
    Pure,        // the result depends on the arguments only, and nothing else changes
    Stable,      // one value a query, as now()
    Volatile,    // another value at each call, as rand
    Writes,      // changes something: an argument, a table, a file, the process
};

enum class NullRule : uint8_t {
    See,        // NULL is a value like others
    Propagate,  // NULL maps to NULL
    Skip,       // NULLs are left out
};

// The callers that may reach a function.
enum class Facet : uint8_t {
    Undeclared,  // only where the registry has a default for the folder
    Open,        // before login, too
    Public,      // logged-in users
    Admin,       // administrators
    Files,       // users who may open files, as far as the file folders reach
    // Other nodes, and the code of this process: no name in a script, no string and no value of a client reaches it.
    // Its arguments come from outside all the same: it checks every one.
    Node,
};

// The knowledge of a function that a query, the compiler or a code generator has beyond calling it. They switch on
// this.
enum class Role : uint8_t {
    None,
    // Roles that the compiler knows:
    AsIs,              // y = asis(x): two names of one variable
    ObjectByName,      // objByName(name): the variable itself, where a call changes it
    Share,             // share(t, name): the name is known from here on
    TypeName,          // typestr(x) == INT compares the spelling
    TableFromColumns,  // table([x as a, y as b]) takes the elements of the list one by one
    SeriesNames,       // plot(x as y): the last parameter receives the names that the code of the first one has
    DropColumns,       // columns of a shared table go through its own name
    Convert,           // converts to the type that `gives` says: JIT-compiled functions demand a constant type of
    // operations with inline code in block programs and scalar code
    Absolute,
    IsNull,
    Not,
    Hour,
    Select,
    Between,
    Size,
    ToLong,
    ToDouble,
    SquareRoot,
    IsValid,
    // aggregates that are computed over ranges of rows without a state
    Count,
    Sum,
    Mean,
    Min,
    Max,
    First,
    Last,
    // of select lists: the contents of a cell
    ArrayCells,
    ColumnarTupleCells,
    TupleCells,
};

// Makes the state of an aggregate for arguments of these types; see kernel/aggregate.h.
using MakeState = std::unique_ptr<GroupedState> (*)(std::span<const Type> types);

// Makes the states of a function that looks back, one per group, for a call with arguments of these types; an argument
// without a constant is VOID, and null where the arguments need another way. See kernel/rolling/rolling_states.h.
using MakeRolling = std::unique_ptr<RollingStates> (*)(std::span<const Type> types, std::span<const Value> constants);
// Returns how many rows before its own a row's result depends on, for a call with these constants; negative when on
// all.
using Reach = int64_t (*)(std::span<const Value> constants);

struct Declaration {
    Parameters takes = {};
    TypeRule gives = {};
    FunctionKind kind = FunctionKind::Whole;
    Effect effect = Effect::Undeclared;
    NullRule nulls = NullRule::See;
    Facet facet = Facet::Undeclared;
    Role role = Role::None;
    bool neverNull = false;       // whatever the arguments
    bool orderSensitive = false;  // the result depends on the order of rows, as prev or msum
    bool neverFails = false;      // for arguments that it takes, no value makes it throw
    bool exact = false;           // states merge to the same bits in any order and grouping
    bool mutatesFirst = false;    // though the name does not end in `!`
    bool givesOther = false;      // changes its first argument, and returns another value
    // Takes tables that sessions share themselves, not their rows as they are when it is called: it hands them on,
    // keeps them, or reads them under their lock. A table that a call changes in place is passed itself without this
    // flag.
    bool takesSharedTables = false;
    int8_t elementwiseFrom = -1;    // with this many arguments or more an aggregate is elementwise, such as min(x, y)
    MakeState state = nullptr;      // makes the state of an aggregate
    MakeRolling rolling = nullptr;  // makes the states of a function that looks back
    Reach reach = nullptr;          // null: nothing is known
    // Scalar forms that calls of plain scalars use instead of the kernel, the first that fits. Kept by reference.
    std::span<const ScalarForm> scalar = {};
};

// Returns whether a planner has what it needs: effects, and the type of the result where the kind has one.
constexpr bool isComplete(const Declaration& d) {
    const bool needsType = d.kind == FunctionKind::Elementwise || d.kind == FunctionKind::Aggregate ||
                           d.kind == FunctionKind::Window || d.kind == FunctionKind::RowWise;
    return d.effect != Effect::Undeclared && (d.gives || !needsType);
}

}  // namespace pelorus
