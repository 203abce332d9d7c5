// Equality of pieces of code.
#pragma once

#include <vector>

#include "runtime/code/expression.h"

namespace pelorus {

struct OrderItem;

// Returns whether two expressions are the same code, wherever they stand and however their calls are written: f(x) is
// x.f(). Names are equal by their letters, literals by type, value and word. A query is the same only as itself. Null
// is the same as null. O(nodes), and a call that differs in its function ends at once.
bool isSameCode(const Node* a, const Node* b);
inline bool isSameCode(const NodeRef& a, const NodeRef& b) {
    return isSameCode(a.get(), b.get());
}

// The same of each pair of elements, of lists of one length.
bool isSameCode(const NodeList& a, const NodeList& b);
bool isSameCode(const std::vector<Argument>& a, const std::vector<Argument>& b);
bool isSameCode(const std::vector<OrderItem>& a, const std::vector<OrderItem>& b);

}  // namespace pelorus
