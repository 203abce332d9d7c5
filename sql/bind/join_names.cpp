#include "sql/bind/join_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/function/function.h"
#include "runtime/table/column_lookup.h"
#include "sql/plan/join_function.h"

namespace pelorus {

namespace {

// Returns the names of key columns that an argument has; empty when it has none.
std::vector<std::string> keyNames(const Value& argument) {
    std::vector<std::string> names;
    if (isOmitted(argument) || !isLiteral(argument.type())) return names;
    for (int64_t i = 0; i < argument.size(); ++i) names.emplace_back(argument.at(i).string());
    return names;
}

// Whether a query names a key of the right table of a left join: with the table's name, or without where the left table
// has no column of this name.
bool readsRightKey(const ReadNames& read, const TableSchema& left, const std::string& right, const std::string& key) {
    return read.mentions(right + "_" + key) || (findColumn(left, key) < 0 && read.mentions(key));
}

// Adds the names that a join assigns to the columns of its right table. `keys` are those under the left table's names.
void addRightNames(const ClauseSides& sides, const std::vector<std::string>& leftOut, const JoinColumns& keys,
                   std::vector<QualifiedColumn>& names) {
    for (const ColumnSchema& c : sides.right) {
        const auto key = std::find(keys.right.begin(), keys.right.end(), c.name);
        if (key != keys.right.end()) {
            names.push_back({sides.rightName, c.name, keys.left[static_cast<size_t>(key - keys.right.begin())]});
            continue;
        }
        const bool isTaken =
            findColumn(sides.left, c.name) >= 0 && std::find(leftOut.begin(), leftOut.end(), c.name) == leftOut.end();
        names.push_back({sides.rightName, c.name, joinedName(c.name, sides.rightName, isTaken)});
    }
}

bool isLeftJoin(JoinKind kind) {
    return kind == JoinKind::Left || kind == JoinKind::LeftSemi;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

JoinFunctionNames namesOfRightKeys(std::string_view function, const std::string& right,
                                   std::span<const Value> arguments, const ReadNames& read) {
    const bool isWindow = function == "wj" || function == "pwj";
    if (right.empty() || (!isWindow && function != "lj" && function != "lsj" && function != "aj")) return {};
    const size_t first = isWindow ? 4 : 2;
    std::vector<std::string> keys = keyNames(arguments[first + 1]);
    if (keys.empty()) keys = keyNames(arguments[first]);
    // An as-of join shows the last one, which may be another than the left's.
    if (function == "aj" && !keys.empty()) keys.pop_back();
    const auto isRead = [&](const std::string& key) {
        if (arguments[0].isTable()) return readsRightKey(read, arguments[0].table().columns(), right, key);
        return read.mentions(right + "_" + key);
    };
    if (!isWindow && std::none_of(keys.begin(), keys.end(), isRead)) return {};
    // Many right rows belong to one of a window join: no column has their key, and its name is unknown.
    const std::string prefix = fmt::format("{}{}.", isWindow ? "" : " ", right);
    JoinFunctionNames named;
    for (const std::string& key : keys) named.names.push_back({right, key, prefix + key});
    if (!isWindow) named.hiddenPrefix = prefix;
    return named;
}

std::vector<QualifiedColumn> namesOfEquiJoinKeys(std::string_view function, const std::string& right,
                                                 std::span<const Value> arguments) {
    if (function != "ej" && function != "sej") return {};
    const std::vector<std::string> left = keyNames(arguments[2]), own = keyNames(arguments[3]);
    if (left.size() != own.size()) return {};
    std::vector<QualifiedColumn> names;
    for (size_t i = 0; i < left.size(); ++i) names.push_back({right, own[i], left[i]});
    return names;
}

std::vector<QualifiedColumn> qualifiedColumns(const TableSchema& columns, const std::string& qualifier) {
    std::vector<QualifiedColumn> names;
    if (qualifier.empty()) return names;
    for (const ColumnSchema& c : columns) names.push_back({qualifier, c.name, c.name});
    return names;
}

std::string hiddenKeysOfClause(JoinKind kind, const ClauseSides& sides, const JoinColumns& keys,
                               const ReadNames& read) {
    const bool isRight = kind == JoinKind::Right;
    const std::vector<std::string>& hidden = isRight ? keys.left : keys.right;
    const auto isRead = [&](const std::string& key) {
        return isRight ? read.mentions(key) : isLeftJoin(kind) && readsRightKey(read, sides.left, sides.rightName, key);
    };
    if (std::none_of(hidden.begin(), hidden.end(), isRead)) return "";
    return fmt::format(" {}.", isRight ? "left" : sides.rightName);
}

void nameColumnsOfClause(JoinKind kind, const ClauseSides& sides, const JoinColumns& keys,
                         const std::string& hiddenPrefix, RowSource& source) {
    std::vector<QualifiedColumn>& names = source.qualified;
    const bool isRight = kind == JoinKind::Right;
    if (isRight) {
        for (QualifiedColumn& column : names) {
            if (!holds(keys.left, column.name)) continue;
            column.name = hiddenPrefix + column.name;
            source.leftKeys.push_back(column);
        }
    }
    addRightNames(sides, isRight ? keys.left : std::vector<std::string>{},
                  isRight || kind == JoinKind::Full ? JoinColumns{} : keys, names);
    if (!isLeftJoin(kind) || hiddenPrefix.empty()) return;
    for (QualifiedColumn& column : names) {
        if (holds(keys.right, column.column) && column.qualifier == sides.rightName)
            column.name = hiddenPrefix + column.column;
    }
}

bool isColumnRead(const ReadNames& read, const std::vector<std::string>& qualifiers, const std::string& column) {
    if (read.holds(column) || column.starts_with(' ')) return true;
    return std::any_of(qualifiers.begin() + 1, qualifiers.end(), [&](const std::string& qualifier) {
        return qualifier.empty() || read.holds(qualifier + "_" + column);
    });
}

}  // namespace pelorus
