#include "runtime/table/column_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/foreign_words.h"
#include "common/lookalike_characters.h"
#include "common/nearest_name.h"
#include "common/type_table.h"

namespace pelorus {

// Joins the names, or their forms by `shown`, with commas; the rest of a long list is left out.
template <class Shown>
static std::string listed(const TableSchema& columns, const Shown& shown) {
    constexpr size_t kMax = 40;
    std::string list;
    for (size_t i = 0; i < std::min(columns.size(), kMax); ++i) {
        list += list.empty() ? "" : ", ";
        list += shown(columns[i]);
    }
    return list + (columns.size() > kMax ? ", …" : "");
}

std::string adviceForColumn(std::string_view name, const TableSchema& given) {
    TableSchema columns = given;
    std::erase_if(columns,
                  [](const ColumnSchema& c) { return c.name.starts_with(' '); });  // made by a query for itself
    std::vector<std::string_view> names;
    for (const ColumnSchema& c : columns) names.push_back(c.name);
    std::string hint = lookalikeAdvice(name);
    if (hint.empty()) hint = didYouMean(nearestNames(name, names));
    if (hint.empty()) hint = foreignWordAdvice(name);
    if (names.empty()) return hint.empty() ? "A query without from has no columns: write select … from t." : hint;
    return fmt::format("{}{}The columns are {}.", hint, hint.empty() ? "" : " ",
                       listed(columns, [](const ColumnSchema& c) { return c.name; }));
}

UserError unknownColumn(std::string_view name, const TableSchema& columns, int argument) {
    return UserError(argument, fmt::format("Unrecognized column name [{}]. RefId: S02005", name),
                     adviceForColumn(name, columns));
}

std::string typedColumnsNote(const TableSchema& columns) {
    return fmt::format("The columns are {}; values go by position.", listed(columns, [](const ColumnSchema& c) {
                           return fmt::format("{} {}", c.name, typeName(c.type));
                       }));
}

}  // namespace pelorus
