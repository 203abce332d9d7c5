#include "sql/rewrite/mistyped_dates.h"

#include <fmt/format.h>

#include <cmath>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/table/column_lookup.h"

namespace pelorus {

namespace {

// Returns the value of an integer literal between two bounds, or -1.
int64_t integerLiteral(const Node& node, int64_t least, int64_t most) {
    if (node.kind != NodeKind::Constant) return -1;
    const Value& v = static_cast<const Constant&>(node).value;
    if (!v.isScalar() || !isIntegral(v.type()) || v.isNull()) return -1;
    return v.integer() >= least && v.integer() <= most ? v.integer() : -1;
}

// Returns the date literal that was meant by 2018-01-02 or 2018.01; empty for anything else.
std::string meantDate(const Node& node) {
    if (node.kind == NodeKind::Constant) {
        const Value& v = static_cast<const Constant&>(node).value;
        if (!v.isScalar() || v.type() != Type::Double || v.isNull()) return "";
        const double hundredths = std::round(v.real() * 100);
        const int year = static_cast<int>(hundredths / 100), month = static_cast<int>(hundredths) % 100;
        if (std::fabs(v.real() * 100 - hundredths) > 1e-6 || year < 1000 || year > 9999 || month < 1 || month > 12) {
            return "";
        }
        return fmt::format("{:04}.{:02}.01", year, month);
    }
    if (node.kind != NodeKind::Binary) return "";
    const auto& outer = static_cast<const Binary&>(node);
    if (outer.op != Operator::Sub || outer.left->kind != NodeKind::Binary) return "";
    const auto& inner = static_cast<const Binary&>(*outer.left);
    if (inner.op != Operator::Sub) return "";
    const int64_t year = integerLiteral(*inner.left, 1000, 9999), month = integerLiteral(*inner.right, 1, 12),
                  day = integerLiteral(*outer.right, 1, 31);
    if (year < 0 || month < 0 || day < 0) return "";
    return fmt::format("{:04}.{:02}.{:02}", year, month, day);
}

// Returns the type of the column that the node names, when it holds dates; VOID otherwise.
Type datesOf(const Node& node, const TableSchema& columns) {
    if (node.kind != NodeKind::Name) return Type::Void;
    const int c = findColumn(columns, static_cast<const Name&>(node).name);
    if (c < 0) return Type::Void;
    const Type type = columns[static_cast<size_t>(c)].type;
    return isTemporal(type) ? type : Type::Void;
}

void refuseIn(const Node& column, Type type, const Node& node) {
    if (node.kind == NodeKind::ListLiteral) {
        for (const NodeRef& item : static_cast<const ListLiteral&>(node).items) refuseIn(column, type, *item);
        return;
    }
    if (node.kind == NodeKind::Binary && static_cast<const Binary&>(node).op == Operator::Pair) {
        refuseIn(column, type, *static_cast<const Binary&>(node).left);
        refuseIn(column, type, *static_cast<const Binary&>(node).right);
        return;
    }
    const std::string meant = meantDate(node);
    if (meant.empty()) return;
    throw UserError(fmt::format("{} is a {}, but {} is a number.", toSource(column), typeName(type), toSource(node)),
                    fmt::format("Write a date as {}.", meant));
}

}  // namespace

void refuseMistypedDates(const NodeRef& condition, const TableSchema& columns) {
    rewrite(condition, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Binary) return NodeRef();
        const auto& n = static_cast<const Binary&>(*node);
        if (!isComparison(n.op) && n.op != Operator::In && n.op != Operator::Between) return NodeRef();
        if (const Type type = datesOf(*n.left, columns); type != Type::Void) refuseIn(*n.left, type, *n.right);
        if (const Type type = datesOf(*n.right, columns); type != Type::Void) refuseIn(*n.right, type, *n.left);
        return NodeRef();
    });
}

}  // namespace pelorus
