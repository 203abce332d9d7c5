// Descriptions one by one: dictionaries, or strings in JSON, alone or several.
#pragma once

#include <functional>
#include <string_view>

#include "runtime/registry/registry.h"

namespace pelorus {

// Returns the dictionary that argument `argument` describes: itself, or that of a string in JSON. Throws UserError for
// other values.
Value describedBy(Context& context, const Value& one, size_t argument);

// Returns a copy of a described dictionary, or a tuple of copies. `what` names it in errors, as "The instrument".
Value extracted(Context& context, const Value& given, std::string_view what);

// Returns f of a description, or a tuple of f of each element of a tuple or vector of them. Asks for cancellation.
Value mapDescribed(Context& context, const Value& given, const std::function<Value(const Value&)>& f);

}  // namespace pelorus
