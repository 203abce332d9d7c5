#include "sql/rewrite/column_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/table/column_advice.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

constexpr int64_t kLongestRange = 32768;

// Returns the begin of the number at the end of a name; the name's length when there is none, or it is too long.
static size_t numberAt(const std::string& name) {
    size_t at = name.size();
    while (at > 0 && std::isdigit(static_cast<unsigned char>(name[at - 1]))) --at;
    constexpr size_t kMaxDigits = 9;
    return name.size() - at > kMaxDigits ? name.size() : at;
}

static NodeList columnsOf(const ColumnRange& range, const TableSchema& columns) {
    const size_t at = numberAt(range.first);
    const bool isRange = at < range.first.size() && at < range.last.size() && numberAt(range.last) == at &&
                         range.first.substr(0, at) == range.last.substr(0, at);
    if (!isRange) {
        throw UserError(
            fmt::format("{}...{} is no range of columns: the names must differ in the number at their end only.",
                        range.first, range.last));
    }
    const int64_t from = std::stoll(range.first.substr(at)), to = std::stoll(range.last.substr(at));
    if (std::abs(to - from) > kLongestRange)
        throw UserError(
            fmt::format("The range {}...{} is longer than {} columns.", range.first, range.last, kLongestRange));
    // Numbers with leading zeros keep their width.
    const bool padded = range.first[at] == '0' || range.last[at] == '0';
    const size_t width = padded ? range.first.size() - at : 0;
    NodeList names;
    for (int64_t i = from;; i += from <= to ? 1 : -1) {
        const std::string name = fmt::format("{}{:0{}}", range.first.substr(0, at), i, width);
        if (std::none_of(columns.begin(), columns.end(), [&](const ColumnSchema& c) { return c.name == name; }))
            throw unknownColumn(name, columns);
        names.push_back(makeRef<Name>(name, range.position));
        if (i == to) return names;
    }
}

bool holdsColumnRange(const Node& node) {
    switch (node.kind) {
        case NodeKind::ColumnRange:
            return true;
        case NodeKind::Unary:
            return holdsColumnRange(*static_cast<const Unary&>(node).operand);
        case NodeKind::Member:
            return holdsColumnRange(*static_cast<const Member&>(node).object);
        case NodeKind::Binary:
            return holdsColumnRange(*static_cast<const Binary&>(node).left) ||
                   holdsColumnRange(*static_cast<const Binary&>(node).right);
        case NodeKind::Call: {
            const auto& arguments = static_cast<const Call&>(node).arguments;
            return std::any_of(arguments.begin(), arguments.end(),
                               [](const Argument& a) { return holdsColumnRange(*a.value); });
        }
        default:
            return false;
    }
}

// Returns the common length of the lists; a single expression pairs with all of another list.
static size_t commonLength(const std::vector<NodeList>& parts) {
    size_t length = 1;
    for (const NodeList& part : parts) {
        if (part.size() == 1 || part.size() == length) continue;
        if (length != 1) throw UserError("The ranges of columns in one expression must have as many columns each.");
        length = part.size();
    }
    return length;
}

static const NodeRef& partAt(const NodeList& part, size_t i) {
    return part[part.size() == 1 ? 0 : i];
}

NodeList expandColumnRanges(const NodeRef& node, const TableSchema& columns, Context& context) {
    if (!holdsColumnRange(*node)) return {node};
    NodeList result;
    switch (node->kind) {
        case NodeKind::ColumnRange:
            return columnsOf(static_cast<const ColumnRange&>(*node), columns);
        case NodeKind::Unary: {
            const auto& n = static_cast<const Unary&>(*node);
            for (const NodeRef& operand : expandColumnRanges(n.operand, columns, context))
                result.push_back(makeRef<Unary>(n.op, operand, n.position));
            return result;
        }
        case NodeKind::Member: {
            const auto& n = static_cast<const Member&>(*node);
            for (const NodeRef& object : expandColumnRanges(n.object, columns, context))
                result.push_back(makeRef<Member>(object, n.name, n.key, n.position));
            return result;
        }
        case NodeKind::Binary: {
            const auto& n = static_cast<const Binary&>(*node);
            const std::vector<NodeList> parts{expandColumnRanges(n.left, columns, context),
                                              expandColumnRanges(n.right, columns, context)};
            for (size_t i = 0, length = commonLength(parts); i < length; ++i)
                result.push_back(makeRef<Binary>(n.op, partAt(parts[0], i), partAt(parts[1], i), n.position));
            return result;
        }
        default:
            break;
    }
    const auto& call = static_cast<const Call&>(*node);
    std::vector<NodeList> parts;
    for (const Argument& a : call.arguments) parts.push_back(expandColumnRanges(a.value, columns, context));
    const Ref<Function> function = calledFunction(call, context);
    const bool pairsUp = function && function->signature().elementwise && !function->signature().variadic;
    for (size_t i = 0, length = pairsUp ? commonLength(parts) : 1; i < length; ++i) {
        std::vector<Argument> arguments;
        for (size_t a = 0; a < parts.size(); ++a) {
            const std::string& keyword = call.arguments[a].keyword;
            if (pairsUp) {
                arguments.push_back({keyword, partAt(parts[a], i)});
                continue;
            }
            // A function with a fixed number of arguments gets the columns as one of them: ols(y, x1...x3).
            if (parts[a].size() > 1 && function && !function->signature().variadic) {
                arguments.push_back({keyword, makeRef<TupleLiteral>(parts[a], call.position)});
                continue;
            }
            for (const NodeRef& part : parts[a]) arguments.push_back({keyword, part});
        }
        result.push_back(makeRef<Call>(call.callee, std::move(arguments), call.style, call.position));
    }
    return result;
}

}  // namespace pelorus
