#include "runtime/code/same_code.h"

#include <algorithm>

#include "common/thread/stack_room.h"
#include "runtime/code/query.h"

namespace pelorus {

namespace {

bool isSame(const Constant& a, const Constant& b) {
    return a.spelling == b.spelling && identical(a.value, b.value);
}

bool isSame(const Name& a, const Name& b) {
    return a.name == b.name && a.functionOnly == b.functionOnly && a.columnOnly == b.columnOnly;
}

bool isSame(const Unary& a, const Unary& b) {
    return a.op == b.op && isSameCode(a.operand, b.operand);
}

bool isSame(const Binary& a, const Binary& b) {
    return a.op == b.op && isSameCode(a.left, b.left) && isSameCode(a.right, b.right);
}

bool isSame(const Ternary& a, const Ternary& b) {
    return isSameCode(a.condition, b.condition) && isSameCode(a.then, b.then) && isSameCode(a.otherwise, b.otherwise);
}

bool isSame(const Call& a, const Call& b) {
    return isSameCode(a.callee, b.callee) && isSameCode(a.arguments, b.arguments);
}

bool isSame(const Partial& a, const Partial& b) {
    return isSameCode(a.callee, b.callee) && isSameCode(a.arguments, b.arguments);
}

bool isSame(const HigherOrder& a, const HigherOrder& b) {
    return a.pattern == b.pattern && a.rule == b.rule && isSameCode(a.function, b.function);
}

bool isSame(const Index& a, const Index& b) {
    return isSameCode(a.object, b.object) && isSameCode(a.indices, b.indices);
}

bool isSame(const Member& a, const Member& b) {
    return a.name == b.name && isSameCode(a.object, b.object) && isSameCode(a.key, b.key);
}

bool isSame(const TupleLiteral& a, const TupleLiteral& b) {
    return isSameCode(a.items, b.items);
}

bool isSame(const ListLiteral& a, const ListLiteral& b) {
    return isSameCode(a.items, b.items);
}

bool isSame(const DictionaryLiteral& a, const DictionaryLiteral& b) {
    return std::equal(
        a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
        [](const auto& x, const auto& y) { return isSameCode(x.first, y.first) && isSameCode(x.second, y.second); });
}

// A function has the source as which it was written; one that was made otherwise is the same only as itself.
bool isSame(const Lambda& a, const Lambda& b) {
    return !a.function.source.empty() && a.function.source == b.function.source;
}

bool isSame(const Metacode& a, const Metacode& b) {
    return isSameCode(a.code, b.code);
}

bool isSame(const MacroColumn& a, const MacroColumn& b) {
    return a.variable == b.variable && a.many == b.many;
}

bool isSame(const Alias& a, const Alias& b) {
    return a.names == b.names && isSameCode(a.value, b.value);
}

bool isSame(const ColumnRange& a, const ColumnRange& b) {
    return a.first == b.first && a.last == b.last;
}

bool isSame(const Window& a, const Window& b) {
    return a.hasFrame == b.hasFrame && a.unit == b.unit && a.exclusion == b.exclusion && a.low == b.low &&
           a.high == b.high && isSameCode(a.call, b.call) && isSameCode(a.partitionBy, b.partitionBy) &&
           isSameCode(a.orderBy, b.orderBy) && isSameCode(a.lowOffset, b.lowOffset) &&
           isSameCode(a.highOffset, b.highOffset);
}

template <class N>
bool isSame(const Node& a, const Node& b) {
    return isSame(static_cast<const N&>(a), static_cast<const N&>(b));
}

}  // namespace

bool isSameCode(const Node* a, const Node* b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind) return false;
    requireStackRoom();
    switch (a->kind) {
        case NodeKind::Constant:
            return isSame<Constant>(*a, *b);
        case NodeKind::Name:
            return isSame<Name>(*a, *b);
        case NodeKind::Unary:
            return isSame<Unary>(*a, *b);
        case NodeKind::Binary:
            return isSame<Binary>(*a, *b);
        case NodeKind::Ternary:
            return isSame<Ternary>(*a, *b);
        case NodeKind::Call:
            return isSame<Call>(*a, *b);
        case NodeKind::Partial:
            return isSame<Partial>(*a, *b);
        case NodeKind::HigherOrder:
            return isSame<HigherOrder>(*a, *b);
        case NodeKind::Index:
            return isSame<Index>(*a, *b);
        case NodeKind::Member:
            return isSame<Member>(*a, *b);
        case NodeKind::TupleLiteral:
            return isSame<TupleLiteral>(*a, *b);
        case NodeKind::ListLiteral:
            return isSame<ListLiteral>(*a, *b);
        case NodeKind::DictionaryLiteral:
            return isSame<DictionaryLiteral>(*a, *b);
        case NodeKind::Lambda:
            return isSame<Lambda>(*a, *b);
        case NodeKind::Metacode:
            return isSame<Metacode>(*a, *b);
        case NodeKind::MacroColumn:
            return isSame<MacroColumn>(*a, *b);
        case NodeKind::Alias:
            return isSame<Alias>(*a, *b);
        case NodeKind::ColumnRange:
            return isSame<ColumnRange>(*a, *b);
        case NodeKind::Window:
            return isSame<Window>(*a, *b);
        case NodeKind::Omitted:
        case NodeKind::Star:
            return true;
        default:
            return false;  // queries and statements
    }
}

bool isSameCode(const NodeList& a, const NodeList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const NodeRef& x, const NodeRef& y) { return isSameCode(x, y); });
}

bool isSameCode(const std::vector<Argument>& a, const std::vector<Argument>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Argument& x, const Argument& y) {
        return x.keyword == y.keyword && isSameCode(x.value, y.value);
    });
}

bool isSameCode(const std::vector<OrderItem>& a, const std::vector<OrderItem>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const OrderItem& x, const OrderItem& y) {
        return x.ascending == y.ascending && x.nullsGiven == y.nullsGiven && x.nullsFirst == y.nullsFirst &&
               isSameCode(x.value, y.value);
    });
}

}  // namespace pelorus
