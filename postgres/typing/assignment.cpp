#include "postgres/typing/assignment.h"

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

NodeRef number(int64_t x) {
    return constantNode(Value::ofLong(x));
}

}  // namespace

Typed assigned(Typed value, const AssignmentTarget& target, const ConversionHost& host) {
    const ShownType wanted = target.declared.shown;
    const std::string given = displayOf(value);
    const int place = value.place;
    try {
        // The length of a text is checked when it is stored: a cast would cut it.
        return convert(std::move(value), wanted.type, isTextType(wanted.type) ? -1 : wanted.modifier,
                       Conversion::Assignment, host);
    } catch (const SqlError& error) {
        if (error.state() != sql_state::kDatatypeMismatch) throw;
        throw SqlError(sql_state::kDatatypeMismatch,
                       fmt::format("column \"{}\" is of type {} but expression is of type {}", target.column,
                                   formatType(wanted.type, -1), given),
                       place, "You will need to rewrite or cast the expression.");
    }
}

NodeRef storedCode(const Typed& value, const AssignmentTarget& target) {
    const ShownType type = target.declared.shown;
    NodeRef code = value.code;
    if (target.declared.isRequired)
        code = callNode("pgRequired", {std::move(code), constantNode(textValue(target.column)),
                                       constantNode(textValue(target.table))});
    if (isTextType(type.type))
        code = callNode("pgStored", {std::move(code), number(type.type), number(type.modifier),
                                     number(target.hasEmptyTexts ? 1 : 0)});
    return code;
}

}  // namespace pelorus::postgres
