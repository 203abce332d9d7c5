#include "runtime/table/column_lookup.h"

#include <algorithm>

namespace pelorus {

static bool equalIgnoringCase(std::string_view a, std::string_view b) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

int findColumn(const TableSchema& columns, std::string_view name) {
    int found = -1;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == name) return static_cast<int>(i);
        if (found < 0 && equalIgnoringCase(columns[i].name, name)) found = static_cast<int>(i);
    }
    return found;
}

int Table::findColumn(std::string_view name) const {
    return pelorus::findColumn(columns(), name);
}

}  // namespace pelorus
