#include "common/type_table.h"

#include <cctype>

namespace pelorus {

static bool equalIgnoringCase(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
        if (std::toupper(static_cast<unsigned char>(a[i])) != std::toupper(static_cast<unsigned char>(b[i]))) {
            return false;
        }
    }
    return true;
}

bool typeByName(std::string_view name, Type& type) {
    for (const TypeFacts& row : kTypeTable) {
        if (equalIgnoringCase(row.name, name)) {
            type = row.type;
            return true;
        }
    }
    return false;
}

}  // namespace pelorus
