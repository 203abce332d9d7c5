#include "sql/expression/fixed_scope.h"

#include "runtime/value/dictionary.h"

namespace pelorus {

bool FixedScope::lookup(std::string_view name, Value& value) const {
    if (!names_.isDictionary()) return false;
    Value key = Value::ofString(name);
    if (!names_.dictionary().contains(key)) return false;
    value = names_.dictionary().get(key);
    return true;
}

}  // namespace pelorus
