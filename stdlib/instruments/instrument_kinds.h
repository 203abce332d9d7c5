// The kinds of financial instruments, and the members that describe one of each.
#pragma once

#include <span>
#include <string_view>

#include "stdlib/instruments/description.h"

namespace pelorus {

enum class MemberType : uint8_t { Text, Number, Flag, Date, Dates, Numbers, Frequency, DayCount, Any };

struct InstrumentMember {
    std::string_view name;
    MemberType type;
    bool isRequired = false;
    std::string_view whenMissing = "";  // the text of the default; NULL, or an empty string, when empty
};

// A kind is told by what its members of classification say, in order: productType, then further ones.
struct InstrumentKind {
    std::span<const std::pair<std::string_view, std::string_view>> classification;
    std::span<const InstrumentMember> members;
};

// Returns the kind of a description. Throws UserError, which names the kinds there are, for an unknown one.
const InstrumentKind& instrumentKind(const Description& description, size_t argument);

}  // namespace pelorus
